import type { KubePeer, PeerSpec } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { capacityOf, configBytes } from "../../../provider/mesh/report/capacity";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { BYSTANDER, key, live, located, MESH, node, ours, plan, source, target } from "./fixtures";

describe("capacity", () => {
    test("counts peers, objects, WireGuard peers and bytes", () => {
        const planned = plan([node({ seed: 1 }), node({ seed: 2, annotations: { endpoint: undefined } })], {
            nodes: {
                dst: [
                    node({ seed: 8, pods: ["10.2.8.0/24"] }),
                    node({ seed: 9, pods: ["10.2.9.0/24"], annotations: { key: "" } }),
                ],
            },
        });
        expect(planned.capacity).toEqual({
            peersPerTarget: { dst: 2, src: 1 },
            allPeersPerTarget: { dst: 2, src: 1 },
            objects: 3,
            wireguardPeersPerNode: { dst: 3, src: 2 },
            configBytesPerNode: { dst: 180 + 132 + 129, src: 180 + 119 },
        });
    });

    test("counts everybody else's peers beside our own, and what is ours once", () => {
        const mine = plan([node({ seed: 1 })], { livePeers: { dst: [] } });
        const livePeers = { dst: [live("laptop"), live("other--x--n1", { labels: { [MESH]: "other" } })] };
        const { capacity } = plan([node({ seed: 1 })], { livePeers });
        expect(capacity.allPeersPerTarget).toEqual({ dst: 3, src: 1 });
        const bare = live("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
        const unclaimed = plan([node({ seed: 1 })], { livePeers: { dst: [bare] } });
        expect(unclaimed.capacity.allPeersPerTarget.dst).toBe(1);
        expect({ ...capacity, allPeersPerTarget: mine.capacity.allPeersPerTarget }).toEqual(mine.capacity);
    });

    test("a peer that stays because nothing is known of its cluster counts with its configuration", () => {
        const kept = ours("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
        const bytes = (peers: readonly KubePeer[]) =>
            planMesh({
                mesh: "m",
                claims: { dst: "c-dst" },
                clusters: [source(), target()],
                nodes: { dst: [BYSTANDER] },
                livePeers: { dst: peers },
            }).capacity;
        const [none, one] = [bytes([]), bytes([kept])];
        expect(one.peersPerTarget.dst).toBe(1);
        expect(one.configBytesPerNode.dst! - none.configBytesPerNode.dst!).toBe(configBytes(kept.spec as PeerSpec));
    });

    test("nodes of one location are one WireGuard peer", () => {
        expect(
            plan([located({ seed: 1 }), located({ seed: 2 }), node({ seed: 3 })]).capacity.wireguardPeersPerNode,
        ).toEqual({
            dst: 2,
            src: 1,
        });
    });

    test("above the threshold there is a warning, at it there is none", () => {
        const nodes = [1, 2, 3].map((seed) => node({ seed }));
        expect(plan(nodes, { peerWarning: 3 }).issues).toEqual([]);
        expect(plan(nodes, { peerWarning: 2 }).issues).toEqual([
            {
                code: "TooManyPeers",
                severity: "warning",
                path: "dst",
                message: '"dst" gets 3 peers, more than 2; each of its nodes configures about 1 KiB of WireGuard',
                fix: "Use hubs or links, location granularity in the sources, or raise peerWarning",
            },
        ]);
    });

    test("counts what rides on the first segment", () => {
        const bytes = (src: Partial<ClusterSpec>) =>
            plan([node({ seed: 1 })], { src }).capacity.configBytesPerNode.dst!;
        expect(bytes({ serviceCIDR: "10.96.0.0/16" }) - bytes({})).toBe("10.96.0.0/16, ".length);
    });

    test("of nothing is nothing", () => {
        expect(capacityOf([{ target: "t", peers: 0, strangers: 2, bytes: 0, kiloSegments: 0 }])).toEqual({
            peersPerTarget: { t: 0 },
            allPeersPerTarget: { t: 2 },
            objects: 0,
            wireguardPeersPerNode: { t: 0 },
            configBytesPerNode: { t: 0 },
        });
    });
});
