import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { run } from "../../../provider/mesh/run";
import type { PlanInput } from "../../../provider/mesh/types";
import { BYSTANDER, key, located, node, ours, plan, routes, source, target } from "./fixtures";
import { runInput } from "./run-input";

const SERVICES = "10.96.0.0/16";
const EXTRA = "10.97.0.0/16";
const src = { serviceCIDR: SERVICES, additionalCIDRs: [EXTRA] };
const NOW = 1000;
const stale = { "last-seen": "1" };

/** The peer of node `n<seed>`, with cluster-wide networks. */
const carrier = (seed: number, more: readonly string[] = [SERVICES], key_ = key(seed)): KubePeer =>
    ours(`m--src--n${seed}`, { publicKey: key_, allowedIPs: [`10.1.${seed}.0/24`, ...more] });

const input = (nodes: readonly KubeNode[], peers: readonly KubePeer[], more: Partial<PlanInput> = {}): PlanInput => ({
    mesh: "m",
    claims: { dst: "c-dst" },
    clusters: [source(src), target()],
    nodes: { src: nodes, dst: [BYSTANDER] },
    livePeers: { dst: peers },
    now: NOW,
    ...more,
});
/** The peer that carries them, and whether a second look should be taken first. */
function carried(nodes: readonly KubeNode[], peers: readonly KubePeer[], more: Partial<PlanInput> = {}) {
    const { targets, unsettled } = run(runInput(input(nodes, peers, more)));
    const carriers = [...targets.dst!.peers.get("src")!].filter(([, { spec }]) => spec.allowedIPs.includes(SERVICES));
    return [...carriers.map(([name]) => name), ...unsettled];
}

const n1 = node({ seed: 1 });
const n2 = node({ seed: 2 });
const n3 = node({ seed: 3 });

describe("cluster-wide networks", () => {
    test("ride on the first segment by name, be it a node or a location", () => {
        expect(carried([n1, n2], [])).toEqual(["m--src--n1"]);
        expect(carried([n1, located({ seed: 2 })], [])).toEqual(["m--src--location-eu"]);
    });

    test("stay with the peer that carries them, or one of them", () => {
        expect(carried([n1, n2], [carrier(2)])).toEqual(["m--src--n2"]);
        expect(carried([n1, n2], [carrier(1, []), carrier(2, [EXTRA])])).toEqual(["m--src--n2"]);
    });

    test("move to a fresh node where theirs is stale, after a second look", () => {
        const old = node({ seed: 1, annotations: stale });
        expect(carried([old, n2, n3], [carrier(1), carrier(2, [])])).toEqual(["m--src--n2", "src"]);
    });

    test("stay with the fresh one of several that have them, and nothing moves", () => {
        const old = node({ seed: 1, annotations: stale });
        expect(carried([old, n2, n3], [carrier(1), carrier(3)])).toEqual(["m--src--n3"]);
    });

    test("move where their node cannot tell its endpoint", () => {
        const broken = node({ seed: 1, annotations: { "force-endpoint": "nowhere" } });
        expect(carried([broken, n2], [carrier(1)])).toEqual(["m--src--n2", "src"]);
    });

    test("stay where no node is fresh: nothing says that they should move", () => {
        const old = [1, 2].map((seed) => node({ seed, annotations: stale }));
        expect(carried(old, [carrier(2)])).toEqual(["m--src--n2"]);
        expect(carried(old, [])).toEqual(["m--src--n1"]);
    });

    test("that nobody carries yet are settled", () => {
        expect(carried([node({ seed: 1, annotations: stale }), n2], [])).toEqual(["m--src--n2"]);
    });

    test("on an object of ours whose labels were removed are not somebody else's", () => {
        const bare = { ...carrier(1), metadata: { name: "m--src--n1", uid: "u" } };
        const planned = plan([n1], { src: { serviceCIDR: SERVICES }, livePeers: { dst: [bare] } });
        expect(routes(planned)["src--n1"]).toContain(SERVICES);
        expect(planned.issues.map(({ code }) => code)).toEqual(["PeerUnclaimed"]);
    });

    test("that a node of the target uses are not routed, though it is called like that object", () => {
        const bare = { ...carrier(1, []), metadata: { name: "m--src--n1", uid: "u" } };
        const user = node({
            name: "m--src--n1",
            seed: 9,
            pods: ["10.2.9.0/24"],
            addresses: [{ type: "InternalIP", address: "10.96.0.9" }],
        });
        const planned = plan([n1], {
            src: { serviceCIDR: SERVICES },
            nodes: { dst: [user] },
            livePeers: { dst: [bare] },
        });
        expect(routes(planned)["src--n1"]).not.toContain(SERVICES);
    });
});

describe("a second look is taken where annotations that are missing now would move a leader", () => {
    const eu = (seed: number, annotations: Record<string, string | undefined> = {}) => located({ seed, annotations });
    const known = (nodes: readonly KubeNode[]) => ({ src: plan(nodes).facts.src! });
    const unsettled = (before: readonly KubeNode[], nodes: readonly KubeNode[], more: Partial<PlanInput> = {}) =>
        run(runInput(input(nodes, [], { lastKnown: known(before), clusters: [source(), target()], ...more })))
            .unsettled;
    const both = [eu(1), eu(2)];

    test("but not where they move nothing", () => {
        expect(unsettled(both, both)).toEqual([]);
        expect(unsettled(both, [eu(1), eu(2, { key: undefined })])).toEqual([]);
        expect(unsettled(both, [eu(1), eu(2, { "wireguard-ip": undefined })])).toEqual([]);
    });

    test("of one that has lost its key", () => {
        expect(unsettled(both, [eu(1, { key: undefined }), eu(2)])).toEqual(["src"]);
    });

    test("nor where every node has lost them", () => {
        expect(unsettled(both, [eu(1, { key: undefined }), eu(2, { key: undefined })])).toEqual([]);
    });

    test("where the address of a name decides", () => {
        const named = [eu(1, { endpoint: "10.9.9.9:1" }), eu(2, { endpoint: "gw.example.com:1" })];
        const missing = [named[0]!, eu(2, { endpoint: "gw.example.com:1", key: undefined })];
        expect(unsettled(named, missing, { resolved: { "gw.example.com": "192.0.2.9" } })).toEqual(["src"]);
        expect(unsettled(named, missing)).toEqual([]);
    });

    test("nor where all are merely stale, and the one that is known leads", () => {
        const old = [eu(1, stale), eu(2, stale)];
        const held = ours("m--src--location-eu", { publicKey: key(2), allowedIPs: ["10.1.1.0/24", "10.1.2.0/24"] });
        expect(unsettled([], old, { livePeers: { dst: [held] } })).toEqual([]);
    });
});
