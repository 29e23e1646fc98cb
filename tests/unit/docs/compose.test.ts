import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parseAllDocuments } from "yaml";
import { ROOT } from "./support/check-types";

jest.mock("pulumi-kilo-clustermesh", () => jest.requireActual("../../../sdk/nodejs"), { virtual: true });

/**
 * The example needs the plugin of @pulumi/kubernetes, a program of 100 MB that is not part of this repository's tools.
 * So its resources are registered with a stand-in of the engine, which shows what it asks for; what a mesh then does with a
 * kubeconfig that is known only after creation is proved on real servers in tests/e2e/mesh/access.test.ts.
 */
const registered: pulumi.runtime.MockResourceArgs[] = [];
const directory = mkdtempSync(path.join(tmpdir(), "compose-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(async () => {
    await pulumi.runtime.setMocks(
        {
            call: () => ({}),
            newResource: (args) => {
                registered.push(args);
                const token = { token: Buffer.from(`token-of-${args.name}`).toString("base64"), "ca.crt": "Q0E=" };
                return {
                    id: `${args.name}-id`,
                    state: args.type === "kubernetes:core/v1:Secret" ? { ...args.inputs, data: token } : args.inputs,
                };
            },
        },
        "compose",
        "test",
    );
    const adminKubeconfig = path.join(directory, "admin.yaml");
    writeFileSync(adminKubeconfig, "the administrator's kubeconfig");
    const clusters = ["north", "south"].map((name) => ({ name, server: `https://${name}.example`, adminKubeconfig }));
    pulumi.runtime.setAllConfig({ "compose:clusters": JSON.stringify(clusters) });
    const { peers } = jest.requireActual<{ peers: pulumi.Output<unknown> }>("../../../examples/compose/index");
    await new Promise((resolve) => peers.apply(resolve));
});

const all = (type: string) => registered.filter((each) => each.type === type);
const manifest = (kind: string) =>
    (
        parseAllDocuments(readFileSync(path.join(ROOT, "docs/rbac.yaml"), "utf8")).map((each) => each.toJS()) as Record<
            string,
            unknown
        >[]
    ).find((each) => each.kind === kind)!;

test("the account that the program creates may do what docs/rbac.yaml says, no less and no more", () => {
    const roles = all("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole");
    expect(roles).toHaveLength(2);
    for (const { inputs } of roles) expect(inputs.rules).toEqual(manifest("ClusterRole").rules);
    for (const { inputs } of all("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")) {
        expect(inputs.roleRef).toMatchObject({ kind: "ClusterRole", name: "mesh-access" });
        expect(inputs.subjects).toEqual([{ kind: "ServiceAccount", name: "mesh", namespace: "mesh-access" }]);
    }
});

test("the mesh is given kubeconfigs of those accounts, as secrets, and never the administrator's", () => {
    const members = all("pulumi-nodejs:dynamic/kilo-clustermesh:Member");
    expect(members.map(({ name }) => name).sort()).toEqual(["composed-north", "composed-south"]);
    for (const { inputs, name } of members) {
        const { value } = inputs.kubeconfig as { value: string };
        const cluster = name.replace("composed-", "");
        expect(JSON.parse(value)).toMatchObject({
            clusters: [{ cluster: { server: `https://${cluster}.example`, "certificate-authority-data": "Q0E=" } }],
            users: [{ user: { token: `token-of-${cluster}` } }],
        });
        expect(JSON.stringify(inputs)).not.toContain("administrator");
    }
});
