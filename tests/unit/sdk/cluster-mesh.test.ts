import * as pulumi from "@pulumi/pulumi";
import { parseMeshText } from "../../../cli/mesh-file";
import { encodeFacts } from "../../../provider/state/facts-text";
import { type ClusterArgs, ClusterMesh, type ClusterMeshArgs } from "../../../sdk/nodejs";
import { key } from "../../support/keys";

const facts = (cluster: number, node: number): Record<string, string> => ({
    [`n${node}`]: encodeFacts({
        name: `n${node}`,
        podCIDRs: [`10.${cluster}.${node}.0/24`],
        internalIPs: [],
        externalIPs: [],
        key: key(cluster * 100 + node),
        granularity: "full",
        kiloEndpoint: `192.0.2.${cluster}:51820`,
    }),
});

interface Registered {
    readonly type: string;
    readonly name: string;
    readonly inputs: Record<string, unknown>;
}

let registered: Registered[];

async function mock(nodes: Record<string, Record<string, string>> = {}): Promise<void> {
    registered = [];
    await pulumi.runtime.setMocks(
        {
            call: () => ({}),
            newResource: ({ type, name, inputs }) => {
                registered.push({ type, name, inputs });
                const cluster = String(inputs.cluster);
                const member = type.endsWith(":Member")
                    ? { nodes: nodes[cluster] ?? {}, claim: `claim-${cluster}` }
                    : {};
                return { id: `${name}-id`, state: { ...inputs, ...member } };
            },
        },
        "project",
        "stack",
        false,
    );
}

interface Args extends ClusterMeshArgs {
    clusters: ClusterArgs[];
}

const args = (more: Partial<Args> = {}): Args => ({
    clusters: [
        { name: "hub", kubeconfig: "kubeconfig-of-hub", podCIDRs: ["10.1.0.0/16"] },
        { name: "spoke", kubeconfig: pulumi.output("kubeconfig-of-spoke"), podCIDRs: pulumi.output(["10.2.0.0/16"]) },
    ],
    ...more,
});

const value = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));

/** Outputs are known as soon as the mesh is planned; the peer sets are registered right after. */
async function registration(mesh: ClusterMesh): Promise<void> {
    await value(mesh.peers);
    for (let tries = 0; registered.length < 6 && tries < 500; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
}

describe("a mesh in a user's unit test", () => {
    test("contacts nothing and registers its record, and a member and a peer set for each cluster", async () => {
        await mock();
        await registration(new ClusterMesh("edge", args()));
        expect(registered.map(({ name }) => name).sort()).toEqual([
            "edge",
            "edge",
            "edge-hub",
            "edge-hub-peers",
            "edge-spoke",
            "edge-spoke-peers",
        ]);
    });

    test("plans from the nodes that the mocks give to its members", async () => {
        await mock({ hub: facts(1, 1), spoke: facts(2, 1) });
        const mesh = new ClusterMesh("edge", args());
        await registration(mesh);
        expect(await value(mesh.peers)).toEqual({
            hub: { count: 1, names: ["edge--spoke--n1"] },
            spoke: { count: 1, names: ["edge--hub--n1"] },
        });
        expect(await value(mesh.unreachable)).toEqual([]);
        expect(await value(mesh.graph)).toContain("hub");
        expect(await value(mesh.issues)).toEqual([]);
        const set = registered.find(({ name }) => name === "edge-hub-peers");
        expect(set?.inputs.peers).toEqual({ spoke: `edge--spoke--n1 ${key(201)} 192.0.2.2:51820 10.2.1.0/24` });
        expect(set?.inputs.claim).toBe("claim-hub");
        expect(set?.inputs.meshId).toBe("edge-id");
    });

    test("knows nothing of the meshes of another test, and refuses a second one of its own names", async () => {
        await mock();
        await registration(new ClusterMesh("edge", args()));
        expect(() => new ClusterMesh("edge", args())).toThrow('would both have a child named "edge-hub"');
        await mock();
        await registration(new ClusterMesh("edge", args()));
    });
});

describe("the mesh file", () => {
    test("has all arguments as the command line reads them, and nothing of a kubeconfig", async () => {
        await mock();
        const far = {
            name: "far",
            kubeconfigSecret: {
                cluster: "hub",
                namespace: "capi",
                name: pulumi.output("far-kubeconfig"),
                key: "value",
            },
            podCIDRs: ["10.3.0.0/16"],
        };
        const given = args({ clusters: [...args().clusters, far], requestTimeout: pulumi.output(5) });
        const mesh = new ClusterMesh("edge", { ...given, topology: { hubs: ["hub"] } });
        await registration(mesh);
        const text = await value(mesh.meshFile);
        expect(text).not.toContain("kubeconfig-of");
        expect(parseMeshText(text, "-", "/", { credentialsElsewhere: true })).toEqual({
            mesh: "edge",
            clusters: [
                { ...far, kubeconfigSecret: { ...far.kubeconfigSecret, name: "far-kubeconfig" } },
                { name: "hub", podCIDRs: ["10.1.0.0/16"] },
                { name: "spoke", podCIDRs: ["10.2.0.0/16"] },
            ],
            topology: { hubs: ["hub"] },
            requestTimeout: 5,
        });
    });

    test("is no secret because a kubeconfig is one, but is one where another argument is", async () => {
        await mock();
        const [hub, spoke] = args().clusters;
        const isSecret = (output: pulumi.Output<unknown>) =>
            (output as unknown as { isSecret: Promise<boolean> }).isSecret;
        const open = new ClusterMesh("open", { clusters: [hub!, { ...spoke!, kubeconfig: pulumi.secret("k") }] });
        await registration(open);
        expect(await isSecret(open.meshFile)).toBe(false);
        await mock();
        const closed = new ClusterMesh("closed", { clusters: [hub!, { ...spoke!, context: pulumi.secret("k") }] });
        await registration(closed);
        expect(await isSecret(closed.meshFile)).toBe(true);
    });
});

describe("arguments that are wrong", () => {
    test("are reported together, at their paths, before anything is registered", async () => {
        await mock();
        const wrong = args({
            clusters: [...args().clusters, { name: "Not a name", local: true, podCIDRs: ["10.1.3.1/16"] }],
        });
        expect(() => new ClusterMesh("edge", wrong)).toThrow(/clusters\[2\]\.name[\s\S]*clusters\[2\]\.podCIDRs\[0\]/);
    });

    test("never show a kubeconfig", async () => {
        await mock();
        const wrong = args({
            clusters: [{ name: "x", kubeconfig: "very-secret-token", local: true, podCIDRs: ["10.1.0.0/16"] }],
        });
        let message = "";
        try {
            new ClusterMesh("edge", wrong);
        } catch (error) {
            message = String(error);
        }
        expect(message).toContain("clusters[0]");
        expect(message).not.toContain("very-secret-token");
    });
});

describe("what is stored", () => {
    test("the component itself has no inputs, and kubeconfigs are secret inputs of its children", async () => {
        await mock();
        await registration(new ClusterMesh("edge", args()));
        const [component, record] = registered.filter(({ name }) => name === "edge");
        expect(component?.inputs).toEqual({});
        expect(JSON.stringify(record?.inputs)).not.toContain("kubeconfig");
        for (const { name, inputs } of registered.filter(({ name }) => name !== "edge")) {
            expect([name, JSON.stringify(inputs.kubeconfig)]).toEqual([
                name,
                expect.stringContaining("4dabf18193072939515e22adb298388d"),
            ]);
        }
    });
});
