import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { PlanInput, Topology } from "../../../provider/mesh/types";
import { CLAIM, key, live, MESH, node, peersIn, SOURCE } from "./fixtures";

/**
 * Nodes of `a` and `b` claim one key, and `c` still has a peer of `b` with it. Without that peer `a`, the first by name, has it.
 */
function planned(theirs: Parameters<typeof node>[0], topology?: Topology, strangers: readonly KubePeer[] = []) {
    return planMesh({
        mesh: "m",
        clusters: ["a", "b", "c"].map((name, i) => ({
            name,
            podCIDRs: [`10.${i + 1}.0.0/16`],
            wireguardCIDR: `100.64.${i}.0/24`,
        })),
        claims: { a: "claim-a", b: "claim-b", c: "claim-c" },
        nodes: {
            a: [node({ seed: 1, pods: ["10.1.1.0/24"], annotations: { "wireguard-ip": "100.64.0.1/24" } })],
            b: [node({ seed: 1, pods: ["10.2.1.0/24"], annotations: { "wireguard-ip": "100.64.1.1/24" }, ...theirs })],
            c: [],
        },
        livePeers: {
            c: [
                {
                    metadata: {
                        name: "m--b--n1",
                        uid: "1",
                        labels: { "kilo-clustermesh.io/claim": "claim-c", "kilo-clustermesh.io/source-cluster": "b" },
                    },
                    spec: { publicKey: key(1), allowedIPs: ["10.2.1.0/24"] },
                },
                ...strangers,
            ],
        },
        ...(topology === undefined ? {} : { topology }),
    });
}

const inC = (...args: Parameters<typeof planned>): string[] => Object.keys(peersIn(planned(...args), "c"));

test("a key that two clusters claim stays with the one for which a target has it", () => {
    expect(inC({})).toEqual(["b--n1"]);
});

test("a target does not speak for a cluster that it is no longer joined with", () => {
    expect(inC({}, { hubs: ["a"] })).toEqual(["a--n1"]);
});

test("a cluster whose node is left out for another reason does not keep the key from the other", () => {
    expect(inC({ pods: ["10.9.1.0/24"] })).toEqual(["a--n1"]);
    expect(inC({ pods: [] })).toEqual(["a--n1"]);
});

test("one whose WireGuard address is missing keeps it: that costs no peer", () => {
    expect(inC({ annotations: { "wireguard-ip": undefined } })).toEqual(["b--n1"]);
});

test("a stranger that comes later does not take the key from the cluster that has it", () => {
    for (const allowedIPs of [["10.2.1.128/25"], ["10.9.0.0/16"]]) {
        expect(inC({}, undefined, [live("stranger", { allowedIPs })])).toEqual(["b--n1"]);
    }
});

test("a target that refuses the peer from now on does not keep the key for its cluster", () => {
    const stranger = live("stranger", { allowedIPs: ["10.2.2.128/25"] });
    expect(inC({ pods: ["10.2.2.0/24"] }, undefined, [stranger])).toEqual(["a--n1"]);
});

describe("a key that several clusters claim", () => {
    const FOUR = ["a", "b", "c", "d"];
    const FIVE = [...FOUR, "e"];
    const claimsOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `claim-${name}`]));
    const claimant = (i: number, name = "n1"): KubeNode =>
        node({ name, seed: i + 1, pods: [`10.${i}.1.0/24`], annotations: { key: key(1) } });
    const has = (source: string | undefined, claim: string | undefined, more: object = {}): KubePeer =>
        live(`m--${source}--n1`, {
            labels: {
                [MESH]: "m",
                ...(source === undefined ? {} : { [SOURCE]: source }),
                ...(claim === undefined ? {} : { [CLAIM]: claim }),
            },
            publicKey: key(1),
            ...more,
        });
    /** The first clusters claim it; whose it is shows in the last one. */
    const among = (names: readonly string[], claimants: number) => {
        const clusters = names.map((name, i) => ({ name, podCIDRs: [`10.${i}.0.0/16`] }));
        const nodes = Object.fromEntries(names.map((name, i) => [name, i < claimants ? [claimant(i)] : []]));
        return (livePeers: Record<string, readonly KubePeer[]>, more: Partial<PlanInput> = {}): string[] => {
            const { peers } = planMesh({ mesh: "m", claims: claimsOf(names), clusters, nodes, livePeers, ...more });
            return Object.keys(peers[names.at(-1)!]!);
        };
    };
    const ofTwo = among(FOUR, 2);
    const ofThree = among(FIVE, 3);

    test("is the first one's by name while nobody has it", () => {
        expect(ofTwo({})).toEqual(["m--a--n1"]);
    });

    test("stays with the cluster for which the others have it", () => {
        expect(ofTwo({ c: [has("b", "claim-c")] })).toEqual(["m--b--n1"]);
        expect(ofTwo({ c: [has("a", "claim-c")] })).toEqual(["m--a--n1"]);
    });

    test("goes by the word of most of them, and by order where they are divided", () => {
        expect(ofTwo({ c: [has("a", "claim-c")], d: [has("b", "claim-d")] })).toEqual(["m--a--n1"]);
        expect(ofTwo({ c: [has("b", "claim-c")], d: [has("b", "claim-d")], b: [has("a", "claim-b")] })).toEqual([
            "m--b--n1",
        ]);
    });

    test("no cluster speaks for itself, nobody speaks twice, and only peers of ours speak", () => {
        expect(ofTwo({ b: [has("b", "claim-b")] })).toEqual(["m--a--n1"]);
        expect(ofTwo({ c: [has("b", "other")] })).toEqual(["m--a--n1"]);
        expect(ofTwo({ c: [has("b", "claim-c")] }, { claims: {} })).toEqual(["m--a--n1"]);
        expect(ofTwo({ c: [has("b", "claim-c", { publicKey: key(9) })] })).toEqual(["m--a--n1"]);
        const twice = { ...has("b", "claim-c"), metadata: { ...has("b", "claim-c").metadata, name: "m--b--again" } };
        expect(ofTwo({ c: [has("b", "claim-c"), twice], d: [has("a", "claim-d")], b: [has("a", "claim-b")] })).toEqual([
            "m--a--n1",
        ]);
    });

    test("is nobody's by the word of one target that has it twice", () => {
        const twice = { ...has("b", "claim-c"), metadata: { ...has("b", "claim-c").metadata, name: "m--b--again" } };
        expect(ofTwo({ c: [has("b", "claim-c"), twice], b: [has("a", "claim-b")] })).toEqual(["m--a--n1"]);
    });

    test("is that of the node of its cluster which can have it, though another one comes first", () => {
        const astray = node({ name: "n0", seed: 7, pods: ["10.77.0.0/24"], annotations: { key: key(1) } });
        const nodes = { a: [claimant(0)], b: [astray, claimant(1)], c: [] };
        expect(ofTwo({ c: [has("b", "claim-c")] }, { nodes })).toEqual(["m--b--n1"]);
    });

    test("is the first node's of the cluster that keeps it", () => {
        const nodes = {
            a: [claimant(0)],
            b: [claimant(1, "n2"), node({ name: "n1", seed: 7, pods: ["10.1.2.0/24"], annotations: { key: key(1) } })],
            c: [],
        };
        expect(ofTwo({ c: [has("b", "claim-c")] }, { nodes })).toEqual(["m--b--n1"]);
    });

    test("goes to the node of its cluster whose peer has it, else to the first", () => {
        const clusters = FOUR.map((name, i) => {
            return { name, podCIDRs: [`10.${i}.0.0/16`], wireguardCIDR: `100.64.${i}.0/24` };
        });
        const of = (name: string, i: number, pods: number, annotations: object): KubeNode =>
            node({ name, pods: [`10.${i}.${pods}.0/24`], annotations: { ...annotations } });
        const nodes = {
            a: [
                of("n2", 0, 2, { key: key(3), "wireguard-ip": "100.64.0.3/24" }),
                of("n3", 0, 3, { key: key(1), "wireguard-ip": "100.64.0.3/24" }),
                of("n4", 0, 4, { key: key(1), "wireguard-ip": "100.64.0.4/24" }),
            ],
            b: [of("n1", 1, 1, { key: key(1), "wireguard-ip": "100.64.1.1/24" })],
            c: [of("n1", 2, 1, { key: key(3), "wireguard-ip": "100.64.2.1/24" })],
            d: [],
        };
        // n2 has the address of n3, but c has its key
        const theirs = live("m--c--n1", { labels: { [SOURCE]: "c", [CLAIM]: "claim-d" }, publicKey: key(3) });
        const ours = (name: string): KubePeer =>
            live(name, { labels: { [SOURCE]: "a", [CLAIM]: "claim-d" }, publicKey: key(1) });
        const inD = (...known: readonly KubePeer[]) => {
            const livePeers = { d: [theirs, ...known] };
            return Object.keys(planMesh({ mesh: "m", claims: claimsOf(FOUR), clusters, nodes, livePeers }).peers.d!);
        };
        expect(inD()).toEqual(["m--a--n3", "m--c--n1"]);
        expect(inD(ours("m--a--n3"))).toEqual(["m--a--n3", "m--c--n1"]);
        expect(inD(ours("m--a--n4"))).toEqual(["m--a--n4", "m--c--n1"]);
    });

    test("is not kept from anyone by peers of odd shapes", () => {
        const odd = [
            null,
            7,
            {},
            { metadata: { labels: { [CLAIM]: "claim-c" } }, spec: { publicKey: key(1) } },
        ] as never;
        expect(ofTwo({ c: odd })).toEqual(["m--a--n1"]);
    });

    test("is the first one's by name where as many speak for the second as for the third", () => {
        expect(ofThree({ d: [has("b", "claim-d")], a: [has("c", "claim-a")] })).toEqual(["m--a--n1"]);
        expect(ofThree({ d: [has("b", "claim-d")] })).toEqual(["m--b--n1"]);
    });

    test("is not decided by peers that have no claim, or an empty one", () => {
        expect(ofThree({ d: [has("b", "")] }, { claims: { ...claimsOf(FIVE), d: "" } })).toEqual(["m--a--n1"]);
        const { d: _, ...others } = claimsOf(FIVE);
        expect(ofThree({ d: [has("b", undefined)] }, { claims: others })).toEqual(["m--a--n1"]);
    });

    test("is not kept from its holder by a peer that does not say whose it is", () => {
        expect(ofThree({ d: [has(undefined, "claim-d"), has("b", "claim-d")] })).toEqual(["m--b--n1"]);
    });
});

test("a peer whose node takes a key that a target has of another cluster stays as it is there", () => {
    const clusters = ["a", "b", "c"].map((name, i) => ({ name, podCIDRs: [`10.${i + 1}.0.0/16`] }));
    const has = (source: string, seed: number, network: string): KubePeer =>
        live(`m--${source}--n1`, {
            labels: { [SOURCE]: source, [CLAIM]: "claim-c" },
            publicKey: key(seed),
            allowedIPs: [network],
        });
    // nothing is known of a, whose peer is kept as it was found
    const { peers } = planMesh({
        mesh: "m",
        claims: { c: "claim-c" },
        clusters,
        nodes: { b: [node({ seed: 1, pods: ["10.2.1.0/24"] })], c: [] },
        livePeers: { c: [has("a", 1, "10.1.1.0/24"), has("b", 5, "10.2.1.0/24")] },
    });
    expect(peers.c!["m--a--n1"]!.spec.publicKey).toBe(key(1));
    expect(peers.c!["m--b--n1"]!.spec).toMatchObject({ publicKey: key(5), allowedIPs: ["10.2.1.0/24"] });
});
