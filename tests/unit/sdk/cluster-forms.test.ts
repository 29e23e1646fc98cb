import * as pulumi from "@pulumi/pulumi";
import { type ClusterArgs, ClusterMesh, type ClusterMeshArgs } from "../../../sdk/nodejs";

interface Registered {
    readonly name: string;
    readonly inputs: Record<string, unknown>;
}

/** What a program with this mesh registers, and the file of the mesh. */
async function registered(args: ClusterMeshArgs): Promise<{ resources: Registered[]; meshFile: string }> {
    const resources: Registered[] = [];
    await pulumi.runtime.setMocks(
        {
            call: () => ({}),
            newResource: ({ name, inputs }) => {
                resources.push({ name, inputs });
                return { id: `${name}-id`, state: { ...inputs, nodes: "", claim: "c" } };
            },
        },
        "project",
        "stack",
        false,
    );
    const mesh = new ClusterMesh("edge", args);
    const value = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));
    await value(mesh.peers);
    // outputs are known as soon as the mesh is planned; the peer sets are registered right after
    for (let tries = 0; resources.length < 6 && tries < 500; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const byName = resources.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { resources: byName, meshFile: await value(mesh.meshFile) };
}

const hub = { kubeconfig: "/hub.yaml", podCIDRs: ["10.1.0.0/16"] };
const spoke = { kubeconfig: pulumi.secret("/spoke.yaml"), podCIDRs: pulumi.output(["10.2.0.0/16"]) };

const refusal = (args: ClusterMeshArgs): string => {
    try {
        new ClusterMesh("edge", args);
        return "";
    } catch (error) {
        return String(error);
    }
};

describe("clusters as a map by name", () => {
    test("make the same resources with the same inputs as a list, in any order: switching changes nothing", async () => {
        const list = [
            { name: "hub", ...hub },
            { name: "spoke", ...spoke },
        ];
        const asList = await registered({ clusters: list });
        expect(asList.resources.map(({ name }) => name)).toContain("edge-spoke-peers");
        expect(await registered({ clusters: { hub, spoke } })).toEqual(asList);
        expect(await registered({ clusters: { spoke, hub } })).toEqual(asList);
        expect(await registered({ clusters: [...list].reverse() })).toEqual(asList);
    });

    test("are named by their keys in errors", async () => {
        await registered({ clusters: { hub, spoke } });
        const wrong = { ...hub, podCIDRs: ["10.1.0.1/16"], nodeCIDRs: ["10.2.0.0/24"] };
        const said = refusal({ clusters: { hub: wrong, berlin: { ...hub, podCIDRs: ["10.2.0.0/16"] } } });
        expect(said).toContain("clusters.hub.podCIDRs[0]");
        expect(said).toMatch(/clusters\.berlin\.podCIDRs\[0\].*\(clusters\.hub\.nodeCIDRs\[0\]\)/);
        expect(said).not.toContain("clusters[");
    });
});

const token = "very-secret-token";
const kubeconfigOf = <T, S>(server: S, given: T) => ({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "hub", cluster: { server } }],
    contexts: [{ name: "hub", context: { cluster: "hub", user: "mesh" } }],
    users: [{ name: "mesh", user: { token: given } }],
    "current-context": "hub",
});

describe("a kubeconfig as an object", () => {
    const text = JSON.stringify(kubeconfigOf("https://192.0.2.1", token));
    const kubeconfigs = ({ resources }: { readonly resources: Registered[] }) =>
        resources.filter(({ name }) => name.startsWith("edge-hub")).map(({ inputs }) => inputs.kubeconfig);

    test.each<[string, NonNullable<ClusterArgs["kubeconfig"]>]>([
        ["plain", kubeconfigOf("https://192.0.2.1", token)],
        ["with Outputs inside", kubeconfigOf(pulumi.output("https://192.0.2.1"), pulumi.secret(token))],
        ["as an Output", pulumi.output(kubeconfigOf("https://192.0.2.1", token))],
        ["as an Output of any, as @pulumi/eks declares it", pulumi.output(JSON.parse(text))],
    ])("%s, is recorded as its text, and is a secret", async (_, kubeconfig) => {
        const found = kubeconfigs(await registered({ clusters: { hub: { ...hub, kubeconfig }, spoke } }));
        const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: text };
        expect(found).toEqual([secret, secret]);
    });

    test("that is none is refused by the type and by the program, without a word of it", async () => {
        await registered({ clusters: { hub, spoke } });
        // @ts-expect-error: an object without clusters and contexts is no kubeconfig
        const said = refusal({ clusters: { hub: { ...hub, kubeconfig: { token } }, spoke } });
        expect(said).toContain(
            "clusters.hub.kubeconfig must be the text of a kubeconfig, the path of one, or the object that the text stands for",
        );
        expect(said).not.toContain(token);
        // @ts-expect-error: neither is a list
        expect(refusal({ clusters: { hub: { ...hub, kubeconfig: [token] }, spoke } })).toContain("must be the text");
        // @ts-expect-error: nor a number
        expect(refusal({ clusters: { hub: { ...hub, kubeconfig: 7 }, spoke } })).toContain("must be the text");
    });
});
