import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { nodeSpecs } from "../../../tools/clusters";
import type { Project } from "../support/project";
import { startWorld, type World } from "../support/world";
import { Command } from "./command";

jest.setTimeout(600_000);

const ROOT = path.resolve(__dirname, "../../..");
const NAMES = ["hub", "berlin", "tokyo"];

let world: World;
let project: Project;
let command: Command;

beforeAll(async () => {
    world = await startWorld(NAMES, 3);
    await world.reset();
    project = await world.project({ name: "global" });
    // as in an empty directory with the packages installed
    for (const file of ["Pulumi.yaml", "package.json", "index.js"]) rmSync(path.join(project.dir, file));
    for (const name of ["typescript", "@types"]) {
        symlinkSync(path.join(ROOT, "node_modules", name), path.join(project.dir, "node_modules", name));
    }
    command = new Command(project.dir);
    writeFileSync(path.join(project.dir, "all.kubeconfig"), merged());
});
afterAll(async () => {
    command?.end();
    await world?.stop();
});

interface Kubeconfig {
    readonly clusters: readonly { readonly cluster: unknown }[];
    readonly users: readonly { readonly user: unknown }[];
}

/** One kubeconfig with a context for each cluster; berlin's account has the rights of docs/rbac.yaml and no more. */
function merged(): string {
    const entries = NAMES.map((name) => {
        const { adminKubeconfigFile, kubeconfigFile } = world.get(name);
        const file = name === "berlin" ? kubeconfigFile : adminKubeconfigFile;
        const { clusters, users } = parse(readFileSync(file, "utf8")) as Kubeconfig;
        return { name, cluster: clusters[0]!.cluster, user: users[0]!.user };
    });
    return stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: entries.map(({ name, cluster }) => ({ name, cluster })),
        users: entries.map(({ name, user }) => ({ name, user })),
        contexts: entries.map(({ name }) => ({ name: `admin@${name}`, context: { cluster: name, user: name } })),
    });
}

test("init on three clusters gives a program that pulumi up accepts as it is, and a mesh file for the command", async () => {
    const flags = NAMES.flatMap((name) => ["--context", `admin@${name}`]);
    const { code, out, err } = await command.run([
        "init",
        "--kubeconfig",
        "all.kubeconfig",
        "--name",
        "global",
        ...flags,
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("serviceCIDR: not known (the account may not list servicecidrs.networking.k8s.io)");

    // the program is not one that the test wrote, so the judge of tunnels cannot know whom it joins
    world.expecting({
        joined: [
            ["hub", "berlin"],
            ["hub", "tokyo"],
            ["berlin", "tokyo"],
        ],
    });
    const up = await project.run(["up", "--yes", "--skip-preview"]);
    expect({ code: up.code, text: up.text }).toMatchObject({ code: 0 });
    for (const name of NAMES) {
        const others = NAMES.filter((other) => other !== name).sort();
        const expected = others.flatMap((other) =>
            nodeSpecs({ name: other }, 3).map((node) => `global--${other}--${node.name}`),
        );
        expect(await world.peers(name)).toEqual(expected);
    }
    // the networks that the clusters have, where the account may see them
    const [first] = (await world.get("berlin").listPeers()).filter(
        ({ metadata }) => metadata.name === "global--hub--hub-n1",
    );
    expect(first?.spec.allowedIPs).toEqual(expect.arrayContaining(["10.16.1.0/24", world.get("hub").serviceCIDR]));
    const { report } = await command.json<{ inPlace: boolean }>("status");
    expect(report.inPlace).toBe(true);

    expect((await project.run(["up", "--yes", "--skip-preview"])).text).toMatch(/Resources:\s+\d+ unchanged/);
    const again = await command.run(["init", "--kubeconfig", "all.kubeconfig", ...flags]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("Pulumi.yaml, package.json, tsconfig.json, index.ts, mesh.yaml are there already");
    world.expecting({});
    expect((await project.run(["destroy", "--yes", "--skip-preview"])).code).toBe(0);
});
