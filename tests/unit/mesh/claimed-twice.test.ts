import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { PlanInput } from "../../../provider/mesh/types";
import { at, key, located, node, ours, peersIn, plan, reasons, routes, target } from "./fixtures";

const known = (nodes: readonly KubeNode[]) => ({ src: plan(nodes).facts.src! });
const duplicates = (planned: ReturnType<typeof plan>) => reasons(planned).filter((text) => text.includes("Duplicate"));

describe("of two nodes of a cluster with one pod CIDR", () => {
    const pods = ["10.1.5.0/24"];
    const both = [node({ seed: 1, pods }), node({ seed: 2, pods })];
    const claimed = (nodes: readonly KubeNode[], peers: readonly KubePeer[] = [], more: Partial<PlanInput> = {}) =>
        duplicates(plan(nodes, { livePeers: { dst: peers }, ...more }));
    const has = (name: string, allowedIPs: readonly string[] = pods) => ours(name, { publicKey: key(50), allowedIPs });

    test("the first by name has it while no target knows either", () => {
        expect(claimed(both)).toEqual(["src/n2 NodePodCIDRDuplicate"]);
        expect(claimed([...both].reverse())).toEqual(["src/n2 NodePodCIDRDuplicate"]);
    });

    test("the one whose peer routes it keeps it", () => {
        expect(claimed(both, [has("m--src--n2")])).toEqual(["src/n1 NodePodCIDRDuplicate"]);
        expect(claimed(both, [has("m--src--n2", ["10.1.6.0/24"])])).toEqual(["src/n2 NodePodCIDRDuplicate"]);
    });

    test("the one whose peer routes it in one family keeps it", () => {
        const dual = [...pods, "fd00:1::/64"];
        const nodes = [node({ seed: 1, pods }), node({ seed: 2, pods: dual })];
        const src = { podCIDRs: ["10.1.0.0/16", "fd00:1::/48"] };
        expect(claimed(nodes, [has("m--src--n2", ["10.1.5.0/24"])], { src } as never)).toEqual([
            "src/n1 NodePodCIDRDuplicate",
        ]);
    });

    test.each<[string, string | undefined, string]>([
        ["a location", "us", "m--src--location-us"],
        ["the location without a name", undefined, "m--src--location-default"],
    ])("the one whose location routes it keeps it: %s", (_, location, name) => {
        const nodes = [located({ seed: 1, pods }), located({ seed: 2, pods, annotations: { location } })];
        expect(claimed(nodes, [has(name)])).toEqual(["src/n1 NodePodCIDRDuplicate"]);
    });

    test("a location is known by the name it had to take beside another, too", () => {
        const nodes = (["EU", "eu"] as const).map((location, i) =>
            located({ seed: i + 1, pods: [`10.1.${i + 1}.0/24`], annotations: { location } }),
        );
        const named = peersIn(plan(nodes));
        const [other] = Object.keys(named).filter((name) => name !== "src--location-eu");
        const seed = named[other!]!.spec.publicKey === key(1) ? 1 : 2;
        const twins = [
            located({ name: "a", seed: 9, pods, annotations: { location: "first" } }),
            located({ seed, pods, annotations: { location: seed === 1 ? "EU" : "eu" } }),
        ];
        expect(claimed(twins, [has(`m--${other}`)])).toEqual(["src/a NodePodCIDRDuplicate"]);
    });

    test("one that is merely remembered yields to the one that says it has it", () => {
        const now = [node({ seed: 1, pods: [] }), both[1]!];
        expect(claimed(now, [], { lastKnown: known(both) })).toEqual(["src/n1 NodePodCIDRDuplicate"]);
    });

    test("others are not concerned", () => {
        expect(Object.keys(routes(plan([...both, node({ seed: 3 })])))).toEqual(["src--n1", "src--n3"]);
    });
});

describe("of two nodes of a cluster with one key", () => {
    const both = [node({ seed: 1 }), node({ seed: 2, annotations: { key: key(1) } })];

    test("one that is merely remembered yields to the one that says it has it", () => {
        const now = [node({ seed: 1, annotations: { key: undefined } }), both[1]!];
        expect(duplicates(plan(now, { lastKnown: known(both) }))).toEqual(["src/n1 NodePublicKeyDuplicate"]);
    });

    test("the other one, which is skipped, does not free the key for another cluster", () => {
        const theirs = node({ seed: 1, pods: ["10.2.1.0/24"], annotations: { "wireguard-ip": undefined } });
        const third = { name: "third", podCIDRs: ["10.3.0.0/16"] };
        const clusters = [{ name: "a", podCIDRs: ["10.1.0.0/16"] }, target(), third];
        const planned = planMesh({ mesh: "m", clusters, nodes: { a: both, dst: [theirs], third: [] } });
        expect(duplicates(planned)).toEqual(["a/n2 NodePublicKeyDuplicate", "dst/n1 NodePublicKeyDuplicate"]);
        expect(Object.keys(peersIn(planned, "third"))).toEqual(["a--n1"]);
    });

    test("a carried one has it before a leader that the selector leaves out, of another location too", () => {
        const src = { nodeSelector: { role: "pod" } };
        const labels = { role: "pod" };
        const nodes = [
            located({ seed: 1, annotations: { leader: "" } }),
            located({ seed: 2, labels }),
            located({ seed: 3, labels, annotations: { key: key(1), location: "us" } }),
        ];
        expect(duplicates(plan(nodes, { src }))).toEqual([]);
        expect(peersIn(plan(nodes, { src }))["src--location-us"]?.spec.publicKey).toBe(key(1));
        expect(peersIn(plan(nodes, { src }))["src--location-eu"]?.spec.publicKey).toBe(key(2));
    });

    test.each<[string, object, readonly KubeNode[]]>([
        ["the selector leaves out", { nodeSelector: { role: "none" } }, both],
        [
            "are excluded from their location",
            { excludeNodes: ["n1", "n2"] },
            [located({ seed: 1 }), located({ seed: 2, annotations: { key: key(1) } })],
        ],
    ])("two that %s hold it against nobody", (_, src, nodes) => {
        const theirs = node({ seed: 1, pods: ["10.2.1.0/24"], annotations: { "wireguard-ip": undefined } });
        const clusters = [
            { name: "a", podCIDRs: ["10.1.0.0/16"], ...src },
            target(),
            { name: "third", podCIDRs: ["10.3.0.0/16"] },
        ];
        const planned = planMesh({ mesh: "m", clusters, nodes: { a: nodes, dst: [theirs], third: [] } });
        expect(Object.keys(peersIn(planned, "third"))).toEqual(["dst--n1"]);
    });
});

describe("of two nodes with one address", () => {
    const addresses = at("192.168.0.5");
    const both = [node({ seed: 1, addresses }), node({ seed: 2, addresses })];
    const src = { nodeCIDRs: ["192.168.0.0/24"] };

    test("the one whose peer routes it keeps it", () => {
        const has = ours("m--src--n2", { publicKey: key(2), allowedIPs: ["192.168.0.5/32"] });
        expect(routes(plan(both, { src }))["src--n1"]).toContain("192.168.0.5/32");
        const planned = routes(plan(both, { src, livePeers: { dst: [has] } }));
        expect(planned["src--n1"]).not.toContain("192.168.0.5/32");
        expect(planned["src--n2"]).toContain("192.168.0.5/32");
    });

    test("it may be one without a WireGuard address", () => {
        const bare = node({ seed: 1, addresses, annotations: { "wireguard-ip": undefined } });
        expect(routes(plan([bare], { src }))["src--n1"]).toEqual(["10.1.1.0/24", "192.168.0.5/32"]);
    });
});

test("of two nodes with one WireGuard address that is merely remembered neither has it", () => {
    const both = [node({ seed: 1 }), node({ seed: 2, annotations: { "wireguard-ip": "10.4.0.1/16" } })];
    const now = [1, 2].map((seed) => node({ seed, annotations: { "wireguard-ip": undefined } }));
    expect(routes(plan(now, { lastKnown: known(both) }))).toEqual({
        "src--n1": ["10.1.1.0/24"],
        "src--n2": ["10.1.2.0/24"],
    });
});
