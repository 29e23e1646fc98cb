import type { ResourceValidationArgs } from "@pulumi/policy";
import * as pulumi from "@pulumi/pulumi";
import { isInside } from "../../../examples/policy/networks";
import { adoption, networks } from "../../../examples/policy/policies";
import { ClusterMesh } from "../../../sdk/nodejs";
import { meshMocks, outputValue } from "../../../sdk/nodejs/testing";
import { nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";

/** The policies are called as an engine calls them, with resources that a mesh really registers. */
interface Registered {
    readonly type: string;
    readonly name: string;
    readonly inputs: Readonly<Record<string, unknown>>;
}

const URN = "urn:pulumi:production::shop::kilo-clustermesh:index:ClusterMesh$PeerSet::global-hub-peers";

type Policy = Pick<typeof networks, "validateResource">;

function violations(policy: Policy, { type, name, inputs }: Registered, urn = URN): readonly string[] {
    const found: string[] = [];
    policy.validateResource(
        { type, name, props: inputs, urn } as ResourceValidationArgs,
        (message: string) => void found.push(message),
    );
    return found;
}

/** The peer set of hub in a mesh with a cluster of these pods. */
async function peerSet(podCIDR: string, nodeCIDRs: readonly string[]): Promise<Registered> {
    const nodes = {
        hub: nodeSpecs({ name: "hub" }, 1).map((spec) => nodeObject({ name: "hub", index: 0 }, spec)),
        other: nodeSpecs({ name: "other" }, nodeCIDRs.length).map((spec, at) =>
            nodeObject({ name: "other", index: 1 }, { ...spec, podCIDRs: [nodeCIDRs[at]!] }),
        ),
    };
    const mocks = meshMocks({ nodes });
    await pulumi.runtime.setMocks(mocks, "shop", "production", false);
    const clusters = [
        { name: "hub", kubeconfig: "hub.yaml", podCIDRs: ["10.16.0.0/16"] },
        { name: "other", kubeconfig: "other.yaml", podCIDRs: [podCIDR] },
    ];
    await outputValue(new ClusterMesh("global", { clusters }).peers);
    await pulumi.runtime.disconnect();
    return mocks.resources.find(({ name }) => name === "global-hub-peers")!;
}

test("networks of the organization pass, others are named with the peer that routes them", async () => {
    expect(violations(networks, await peerSet("10.17.0.0/16", ["10.17.1.0/24", "10.17.2.0/24"]))).toEqual([]);
    expect(violations(networks, await peerSet("192.0.2.0/24", ["192.0.2.0/26", "192.0.2.64/26"]))).toEqual([
        expect.stringMatching(/^global--other--other-n1 in hub routes 192\.0\.2\.0\/26: allowed are 10\.0\.0\.0\/8/),
        expect.stringMatching(/^global--other--other-n2 in hub routes 192\.0\.2\.64\/26/),
    ]);
});

/** Of a mesh from TypeScript, and from every other language. */
const TYPES = ["pulumi-nodejs:dynamic/kilo-clustermesh:PeerSet", "kilo-clustermesh:index:PeerSet"];

test.each(TYPES)("%s: peers of a source that is one text are looked at too, and other resources are not", (type) => {
    const inputs = { cluster: "hub", peers: { other: "a key 192.0.2.1:51820 192.0.2.0/26\nb key 10.1.0.0/16" } };
    expect(violations(networks, { type, name: "set", inputs })).toHaveLength(1);
    expect(violations(networks, { type: "aws:s3:Bucket", name: "b", inputs })).toEqual([]);
});

test.each(TYPES)("%s: peers are taken over only by stacks that may", (type) => {
    const taking = {
        type,
        name: "set",
        inputs: { cluster: "hub", adopt: { "global--other--n1": "will be taken over" } },
    };
    expect(violations(adoption, taking)).toEqual([
        expect.stringContaining("shop/production would take over global--other--n1 in hub"),
    ]);
    expect(violations(adoption, taking, URN.replace("shop", "network"))).toEqual([]);
    expect(violations(adoption, { type, name: "set", inputs: { cluster: "hub" } })).toEqual([]);
});

test.each([
    ["10.1.0.0/16", "10.0.0.0/8", true],
    ["10.0.0.0/7", "10.0.0.0/8", false],
    ["fd00:1::/64", "fd00::/8", true],
    ["fd00:1::/64", "10.0.0.0/8", false],
    ["10.1.2.3/32", "10.1.2.0/24", true],
])("%s inside %s: %p", (network, outer, expected) => {
    expect(isInside(network, outer)).toBe(expected);
});
