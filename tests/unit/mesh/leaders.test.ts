import type { KubeNode } from "../../../provider/kilo/types";
import { codes, key, located, node, ours, peersIn, plan, reasons, routes, saidBy } from "./fixtures";

const eu = (seed: number, annotations: Record<string, string | undefined> = {}) => located({ seed, annotations });
const held = (seed: number, allowedIPs: readonly string[] = ["10.1.1.0/24", "10.1.2.0/24"]) =>
    ours("m--src--location-eu", { publicKey: key(seed), allowedIPs });
const knownBy = (seed: number, ...allowedIPs: readonly string[]) => ({
    dst: [allowedIPs.length === 0 ? held(seed) : held(seed, allowedIPs)],
});
const leading = { leader: "" };

describe("a leader that moves is named", () => {
    test("by the node that had the key of the peer, wherever it comes in the order", () => {
        const planned = plan([eu(1), eu(2), eu(3, leading)], { livePeers: knownBy(2) });
        expect(saidBy(planned, "LeaderMoved")).toEqual(['leader of location "eu" of "src": "n2" → "n3"']);
    });

    test("but not where that node is gone, or has a new key: its own change says it", () => {
        expect(codes(plan([eu(1), eu(2)], { livePeers: knownBy(9) }))).toEqual([]);
    });

    test("nor where excludeNodes took it away: that is another finding", () => {
        const planned = plan([eu(1, leading), eu(2)], { src: { excludeNodes: ["n1"] }, livePeers: knownBy(1) });
        expect(codes(planned)).toEqual(["warning LeaderExcluded src/n1"]);
    });
});

describe("a leader that is excluded", () => {
    const excluding = (nodes: readonly KubeNode[], more: Parameters<typeof plan>[1] = {}) =>
        plan(nodes, { src: { excludeNodes: ["n1"] }, ...more });
    const stale = { "last-seen": "1" };

    test("is told by the address that its name has", () => {
        const nodes = [
            eu(1, { endpoint: "gw.example.com:1" }),
            located({ name: "n0", seed: 2, annotations: { endpoint: "10.9.9.9:1" } }),
        ];
        const resolved = { "gw.example.com": "192.0.2.9" };
        expect(codes(excluding(nodes, { resolved }))).toEqual(["warning LeaderExcluded src/n1"]);
        expect(codes(excluding(nodes))).toEqual([]);
        const behind = [eu(1, { endpoint: "gw.example.com:1" }), eu(2)];
        expect(codes(excluding(behind))).toEqual([]);
    });

    test("costs the nodes that Kilo counts on: of the others their own finding says it", () => {
        const planned = excluding([eu(1, leading), eu(2), eu(3, stale)], { now: 1000 });
        expect(saidBy(planned, "LeaderExcluded")).toEqual([expect.stringContaining('so "n2" there cannot')]);
        expect(codes(excluding([eu(1, leading), eu(3, stale)], { now: 1000 }))).toEqual(["warning NodeStale src"]);
    });

    test("is none where it has no key or no pods", () => {
        expect(codes(excluding([eu(1, { ...leading, key: undefined }), eu(2)]))).toEqual([]);
        expect(codes(excluding([located({ seed: 1, pods: [], annotations: leading }), eu(2)]))).toEqual([]);
    });

    test("has no next where the nodes that are left have no key, and their peer stays as it is", () => {
        const planned = excluding([eu(1), eu(2, { key: undefined })], { livePeers: knownBy(9, "10.1.2.0/24") });
        const [found] = planned.issues.filter(({ code }) => code === "LeaderExcluded");
        expect(found!.fix).toBe('Remove "n1" from its cluster; then run `pulumi up` again');
        expect(peersIn(planned)["src--location-eu"]!.spec).toMatchObject({
            publicKey: key(9),
            allowedIPs: ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });
});

describe("a location none of whose nodes has a key", () => {
    test("keeps its peer with the pods that are routed, because of the first node", () => {
        const nodes = [1, 2, 3].map((seed) => eu(seed, { key: undefined }));
        const planned = plan([...nodes, node({ seed: 4 })], { src: { excludeNodes: ["n3"] }, livePeers: knownBy(9) });
        expect(routes(planned)["src--location-eu"]).toEqual(["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"]);
        expect(peersIn(planned)["src--location-eu"]!.spec.publicKey).toBe(key(9));
        expect(saidBy(planned, "PeerHeld")).toEqual([expect.stringContaining('because of "n1"')]);
    });

    test("keeps a node of which one family is routed", () => {
        const src = { podCIDRs: ["10.1.0.0/16", "fd00:1::/48"] };
        const dual = located({ seed: 2, pods: ["10.1.2.0/24", "fd00:1:0:2::/64"], annotations: { key: undefined } });
        const planned = plan([eu(1), dual], { src, livePeers: knownBy(1, "10.1.1.0/24", "10.1.2.0/24") });
        expect(routes(planned)["src--location-eu"]).toContain("fd00:1:0:2::/64");
        expect(planned.skipped).toEqual([]);
    });
});

describe("a node that Kilo has not annotated yet", () => {
    const bare = (seed: number) => ({
        metadata: { name: `n${seed}`, labels: { "topology.kubernetes.io/region": "eu" } },
        spec: { podCIDR: `10.1.${seed}.0/24` },
    });
    const routed = { livePeers: knownBy(1, "10.1.1.0/24", "10.1.2.0/24") };

    test("is where the others are: its pods stay routed through their location", () => {
        const planned = plan([eu(1, { location: undefined }), bare(2)].map(inRegion), routed);
        expect(routes(planned)["src--location-eu"]).toEqual(["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"]);
        expect(planned.skipped).toEqual([]);
    });

    test("does not say so of those that have told theirs, or have a key", () => {
        const alone = node({ seed: 3 });
        const keyed = node({ seed: 4, annotations: { granularity: undefined } });
        const keyless = node({ seed: 5, annotations: { key: undefined } });
        const planned = plan([eu(1), eu(6), eu(7), bare(2), alone, keyed, keyless].map(inRegion), routed);
        expect(Object.keys(routes(planned))).toEqual(["src--location-eu", "src--n3", "src--n4"]);
        expect(reasons(planned)).toEqual(["src/n5 NodeNoPublicKey"]);
        // the location, n3, n4 and n5 without one of them, and the peer of dst
        expect(planned.capacity.wireguardPeersPerNode.src).toBe(3 + 1);
    });

    test("is alone where no node tells", () => {
        const planned = plan([bare(2)], { livePeers: { dst: [] } });
        expect(reasons(planned)).toEqual(["src/n2 NodeNoPublicKey"]);
    });
});

function inRegion(found: object): KubeNode {
    const given = found as KubeNode;
    return { ...given, metadata: { ...given.metadata, labels: { "topology.kubernetes.io/region": "eu" } } };
}
