import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import type { LocalCluster } from "../../../tools/clusters";
import type { Outcome, Project } from "../support/project";
import { argsOf, meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

const TIMEOUT = 4;

let world: World;
let project: Project;
let others: LocalCluster[];

beforeAll(async () => {
    world = await startWorld(["hub", "berlin", "tokyo"]);
    others = [world.get("hub"), world.get("berlin")];
});

afterAll(async () => {
    await world?.stop();
});

beforeEach(() => world.reset());

/** A mesh of three that is up, in a project of its own. */
async function meshed(name: string): Promise<Project> {
    project = await world.project({ stack: name });
    await project.write(mesh(name));
    succeed(await project.up());
    return project;
}

const mesh = (name: string, tokyo: Partial<LocalCluster> = {}, more: Record<string, unknown> = {}) =>
    meshOf(name, [...others, { ...argsOf(world.get("tokyo")), ...tokyo }], { requestTimeout: TIMEOUT, ...more });

function succeed({ code, text }: Outcome): Outcome {
    if (code !== 0) throw new Error(text);
    return { code, text, milliseconds: 0 };
}

/** Changes the kubeconfig of tokyo so that it fails in one way. */
const edited = (change: (kubeconfig: string) => string) => ({ kubeconfig: change(world.get("tokyo").kubeconfig) });

async function blackHole(): Promise<{ port: number; close: () => void }> {
    const sockets = new Set<{ destroy(): void }>();
    const server: Server = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        port: (server.address() as AddressInfo).port,
        close: () => {
            for (const socket of sockets) socket.destroy();
            server.close();
        },
    };
}

describe("one of three clusters is stopped", () => {
    beforeEach(async () => {
        project = await meshed("stopped");
        await world.get("tokyo").stop();
        await world.get("hub").putNode({ name: "hub-n4", index: 4 });
        world.expecting({ silent: ["tokyo"], apart: [["tokyo", "hub/hub-n4"]] });
    });

    test("a preview says so on its member and still names what will change elsewhere", async () => {
        const { code, text } = await project.preview();
        expect(code).toBe(0);
        expect(text).toContain("stopped--hub--hub-n4");
        expect(text).toMatch(/cluster tokyo is unreachable: .*refuses the connection/);
        expect(text).toContain(
            "Its last known nodes keep their peers in the other clusters, its own peers stay as they are. Start the API server, or correct host and port",
        );
        expect(text).toContain("The next `pulumi up` tries again.");
    });

    test("an up converges the others, keeps its peers there, and the next one is a no-op", async () => {
        succeed(await project.up());
        const peers = await world.peers("berlin");
        expect(peers).toContain("stopped--hub--hub-n4");
        expect(peers.filter((name) => name.startsWith("stopped--tokyo--"))).toHaveLength(3);
        expect((await project.up()).text).toMatch(/9 unchanged/);
        expect(await project.output("stopped")).toMatchObject({ unreachable: [{ cluster: "tokyo" }] });
    });

    test("a refresh keeps its record and warns", async () => {
        const { text } = succeed(await project.refresh());
        expect(text).toMatch(/cluster tokyo is unreachable: .*Its recorded peers are kept as they were/s);
    });

    test('with onUnreachable: "fail" the others are done first and then the run fails', async () => {
        await world.get("hub").putNode({ name: "hub-n5", index: 5 });
        await project.write(mesh("stopped", {}, { onUnreachable: "fail" }));
        const { code, text } = await project.up();
        expect(code).not.toBe(0);
        expect(text).toContain("one cluster could not be used; the peers of all others are written");
        expect(text).toContain("Because this run fails, Pulumi removes nothing in it");
        expect(await world.peers("berlin")).toContain("stopped--hub--hub-n5");
    });

    test("a destroy deletes the others' peers, fails for this one, and says how to go on", async () => {
        const { code, text } = await project.destroy();
        expect(code).not.toBe(0);
        expect(text).toMatch(
            /the peers in tokyo could not be deleted and stay in the state: cluster tokyo is unreachable: .*refuses the connection/,
        );
        expect(text).toContain("KILO_CLUSTERMESH_DELETE_UNREACHABLE=tokyo");
        for (const { name } of others) expect(await world.peers(name)).toEqual([]);
    });

    test("when it is back, the destroy is finished and nothing is left", async () => {
        expect((await project.destroy()).code).not.toBe(0);
        await world.get("tokyo").start();
        world.expecting({});
        succeed(await project.destroy());
        expect(await world.peers("tokyo")).toEqual([]);
    });
});

test("a debt can be written off at destroy, and by deleteUnreachable before a removal", async () => {
    project = await meshed("forgiven");
    await world.get("tokyo").stop();
    world.expecting({ silent: ["tokyo"] });
    const { text } = succeed(
        await project.run(["destroy", "--yes", "--skip-preview", "--stack", "forgiven"], {
            KILO_CLUSTERMESH_DELETE_UNREACHABLE: "true",
        }),
    );
    expect(text).toContain("written off");
    await world.get("tokyo").start();
    const left = (await world.get("tokyo").listPeers()).map(({ metadata }) => metadata.name);
    expect(left).toHaveLength(6);
});

test("two dead clusters cost one timeout, not two", async () => {
    const hole = await blackHole();
    try {
        project = await world.project({ stack: "holes" });
        const dead = (name: string) => ({
            ...argsOf(world.get(name)),
            kubeconfig: world
                .get(name)
                .kubeconfig.replace(/https:\/\/127\.0\.0\.1:\d+/, `https://127.0.0.1:${hole.port}`),
        });
        const settings = { requestTimeout: TIMEOUT };
        await project.write(meshOf("holes", world.clusters.clusters, settings));
        const healthy = await project.preview();
        await project.write(meshOf("holes", [world.get("hub"), dead("berlin"), dead("tokyo")], settings));
        const { milliseconds, text } = await project.preview();
        expect(text).toMatch(/cluster berlin is unreachable: .*4 s/);
        expect(text).toMatch(/cluster tokyo is unreachable: .*4 s/);
        // Both run on a noisy machine: between one timeout and less than two.
        expect(milliseconds - healthy.milliseconds).toBeLessThan(2 * TIMEOUT * 1000);
    } finally {
        hole.close();
    }
});

test("a wrong CA is no silence: the others are done, then the run fails and names the certificate", async () => {
    project = await meshed("wrong-ca");
    const foreignCa = /certificate-authority-data: (\S+)/.exec(world.get("hub").kubeconfig)![1]!;
    await project.write(
        mesh(
            "wrong-ca",
            edited((text) =>
                text.replace(/certificate-authority-data: \S+/, `certificate-authority-data: ${foreignCa}`),
            ),
        ),
    );
    const { code, text } = await project.up();
    expect(code).not.toBe(0);
    expect(text).toMatch(/cluster tokyo is unreachable: .*TLS: the certificate/);
    expect(await world.peers("berlin")).toContain("wrong-ca--tokyo--tokyo-n1");
    // what was recorded still leads there, so nothing can be written off
    const forgiven = { KILO_CLUSTERMESH_DELETE_UNREACHABLE: "true" };
    const bad = edited((whole) =>
        whole.replace(/certificate-authority-data: \S+/, `certificate-authority-data: ${foreignCa}`),
    );
    const override = { ...forgiven, KILO_CLUSTERMESH_KUBECONFIG_TOKYO: bad.kubeconfig };
    const destroyed = await project.run(["destroy", "--yes", "--skip-preview", "--stack", project.stack], override);
    expect(destroyed.code).not.toBe(0);
    expect(destroyed.text).toContain("Only a cluster that does not answer can be written off");
    expect(await world.peers("tokyo")).not.toEqual([]);
    await project.write(mesh("wrong-ca"));
    succeed(await project.up());
    succeed(await project.destroy());
});

test("an expired token costs its own cluster only: the others are done, then the run fails with the fix", async () => {
    project = await meshed("expired");
    await project.write(
        mesh(
            "expired",
            edited((text) => text.replace(/token: \S+/, "token: expired")),
        ),
    );
    await world.get("hub").putNode({ name: "hub-n6", index: 6 });
    const { code, text } = await project.up();
    expect(code).not.toBe(0);
    expect(text).toMatch(/cluster tokyo.*(401|credentials)/i);
    expect(text).toContain("KILO_CLUSTERMESH_ACCEPT_UNUSABLE=tokyo");
    expect(await world.peers("berlin")).toContain("expired--hub--hub-n6");
    expect(await world.peers("berlin")).toContain("expired--tokyo--tokyo-n1");
    expect(await world.peers("tokyo")).toContain("expired--hub--hub-n1");
    const accepted = { KILO_CLUSTERMESH_ACCEPT_UNUSABLE: "tokyo" };
    world.expecting({ apart: [["tokyo", "hub/hub-n6"]] });
    succeed(await project.run(["up", "--yes", "--skip-preview", "--stack", project.stack], accepted));
    const previewed = succeed(await project.preview());
    expect(previewed.text).toMatch(/unusable/);
    succeed(await project.refresh());
    await project.write(mesh("expired"));
    world.expecting({});
    succeed(await project.up());
    succeed(await project.destroy());
});
