import type { Props } from "../../../provider/resources/host";
import { member } from "../../../provider/resources/member";
import { peerSet } from "../../../provider/resources/peer-set";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";

/**
 * What version 0.1.0 left in users' state, to the letter. Later versions must read it forever: never edit these values,
 * add new ones beside them.
 */
const V1_MEMBER: Props = {
    resource: "member",
    schemaVersion: 1,
    cluster: "hub",
    kubeconfig: "secret",
    requestTimeout: 10,
    deleteUnreachable: false,
    resourceUrn:
        "urn:pulumi:prod::net::kilo-clustermesh:index:ClusterMesh$pulumi-nodejs:dynamic/kilo-clustermesh:Member::edge-hub",
    mesh: "edge",
    claim: "1f0e1c7a9b3d5f7e9a1b",
    nodes: { n1: `p10.1.1.0/24 k${key(1)} e192.0.2.1:51820 gfull` },
    allowEmpty: false,
};

const V1_PEERS: Props = {
    resource: "peers",
    schemaVersion: 1,
    cluster: "hub",
    kubeconfig: "secret",
    requestTimeout: 10,
    deleteUnreachable: false,
    mesh: "edge",
    claim: "1f0e1c7a9b3d5f7e9a1b",
    owner: "organization/net/prod/edge",
    ledger: "edge--spoke--n1 uid-1 6Sxe0GMtdJ",
};

const V1_LINE = `${key(2)} 192.0.2.2:51820 10.2.1.0/24`;

describe("state written by version 0.1.0", () => {
    test("is unchanged when nothing changed", () => {
        expect(member.diff(V1_MEMBER, V1_MEMBER)).toEqual({ changes: false });
        const { ledger: _, ...inputs } = V1_PEERS;
        const same = { ...inputs, peers: { spoke: { "edge--spoke--n1": V1_LINE } } };
        expect(peerSet.diff(V1_PEERS, same)).toEqual({ changes: false });
    });

    test("can be deleted: objects are found by claim, and by the ledger's uid when their labels are gone", async () => {
        const hub = new MemoryCluster("hub");
        const spec = { allowedIPs: ["10.2.1.0/24"], publicKey: key(2) };
        hub.put("edge--spoke--n1", {}, spec);
        hub.put("edge--spoke--n2", { "kilo-clustermesh.io/claim": "1f0e1c7a9b3d5f7e9a1b" }, spec);
        const foreign = hub.put("foreign", {}, spec);
        await peerSet.delete(memoryHost([hub]), "edge/hub/peers", V1_PEERS);
        await member.delete(memoryHost([hub]), "edge/hub", V1_MEMBER);
        expect([...hub.peers.values()]).toEqual([foreign]);
    });

    test("keeps the claim and the nodes when the cluster does not answer", () => {
        const { inputs } = member.check(memoryHost([]), V1_MEMBER, {
            ...V1_MEMBER,
            nodes: undefined,
            unreachable: "down",
        });
        expect(inputs).toMatchObject({
            claim: V1_MEMBER.claim,
            nodes: expect.stringMatching(/^n1 pods=10\.1\.1\.0\/24 key=\S+ endpoint=192\.0\.2\.1:51820 full$/),
        });
    });
});
