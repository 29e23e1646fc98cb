import type { KubePeer } from "../../../provider/kilo/types";
import { driftOf } from "../../../provider/mesh/drift";
import { type RunInput, run } from "../../../provider/mesh/run";
import type { PlanInput } from "../../../provider/mesh/types";
import { BYSTANDER, CLAIM, codes, key, live, MESH, node, SOURCE, source, target } from "./fixtures";
import { runInput } from "./run-input";

const labels = { [MESH]: "m", [SOURCE]: "src", [CLAIM]: "c-dst", "app.kubernetes.io/managed-by": "pulumi" };
const THIRD = { name: "third", podCIDRs: ["10.3.0.0/16"] };

/** The peer of node `n<seed>` as we wrote it, or with something else about it. */
const written = (seed: number, more: Record<string, unknown> = {}): KubePeer =>
    live(`m--src--n${seed}`, {
        labels,
        publicKey: key(seed),
        allowedIPs: [`10.1.${seed}.0/24`, `10.4.0.${seed}/32`],
        endpoint: { dnsOrIP: { ip: `192.0.2.${seed}` }, port: 51820 },
        ...more,
    });

const input = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}): RunInput =>
    runInput({
        mesh: "m",
        clusters: [source(), target()],
        claims: { dst: "c-dst" },
        nodes: { src: [node({ seed: 1 }), node({ seed: 2 })], dst: [BYSTANDER] },
        livePeers: { dst: peers },
        ...more,
    });
const inDst = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}, known: Partial<RunInput> = {}) =>
    run({ ...input(peers, more), ...known }).targets.dst!;
const drifted = (...args: Parameters<typeof inDst>) =>
    driftOf(inDst(...args)).map(({ name, kind }) => `${name} ${kind}`);

describe("where the peers of a target are not what is wanted", () => {
    test("nothing is said of those that are as we wrote them", () => {
        expect(driftOf(inDst([written(1), written(2)]))).toEqual([]);
    });

    test("each is named in order, with what is there and what should be", () => {
        const wide = written(1, { allowedIPs: ["10.1.1.0/24"] });
        const bare = written(2, { labels: { [CLAIM]: "c-dst", [SOURCE]: "src" } });
        const found = inDst([bare, wide, live("m--src--n0", { labels })]);
        const wanted = found.peers.get("src")!;
        expect(driftOf(found)).toEqual([
            { name: "m--src--n0", kind: "left over", live: expect.objectContaining({ name: "m--src--n0" }) },
            {
                name: "m--src--n1",
                kind: "changed",
                live: expect.objectContaining({ spec: expect.objectContaining({ allowedIPs: ["10.1.1.0/24"] }) }),
                wanted: wanted.get("m--src--n1"),
            },
            {
                name: "m--src--n2",
                kind: "labels",
                live: expect.objectContaining({ name: "m--src--n2" }),
                wanted: wanted.get("m--src--n2"),
            },
        ]);
    });

    test("one that is not there is missing", () => {
        expect(driftOf(inDst([written(2)]))).toEqual([{ name: "m--src--n1", kind: "missing" }]);
    });

    test("one without labels under our name and key may be ours: its uid tells", () => {
        expect(driftOf(inDst([written(1, { labels: {} }), written(2)]))).toEqual([
            { name: "m--src--n1", kind: "unclaimed", live: expect.objectContaining({ uid: "uid of m--src--n1" }) },
        ]);
    });

    test("a stranger's is none of them", () => {
        expect(drifted([written(1), written(2), live("x", { publicKey: key(50) })])).toEqual([]);
    });

    test("a peer that was adopted without a claim lacks no label", () => {
        const { [CLAIM]: _, ...operator } = labels;
        const peers = [written(1, { labels: operator }), written(2, { labels: operator })];
        for (const claims of [{}, { dst: "" }]) expect(drifted(peers, { adopt: true, claims })).toEqual([]);
    });

    test("of a target that was not seen nothing is known", () => {
        const silent = run(input([], { nodes: { src: [node({ seed: 1 })] } }));
        expect(silent.targets.dst).toMatchObject({ state: "silent", takeOver: [], ours: new Map() });
        expect(driftOf(silent.targets.dst!)).toEqual([]);
        expect(codes(silent)).toEqual([]);
        expect([...silent.targets.dst!.peers.get("src")!.keys()]).toEqual(["m--src--n1"]);
    });
});

test("what is ours in a target is told as it is", () => {
    const { ours } = inDst([written(1), live("x")]);
    expect([...ours.keys()]).toEqual(["m--src--n1"]);
});

describe("a cluster of which a value is not known yet", () => {
    const clusters = [source(), target(), THIRD];
    const without = (name: string) => ({
        knowledge: {
            ...input([written(1), written(2)], { clusters }).knowledge,
            [name]: { state: "unknown" as const },
        },
    });

    test("as a source leaves its entry open, and says nothing of its peers", () => {
        const found = inDst([written(1), written(2)], { clusters }, without("src"));
        const { unknown, peers } = found;
        expect(unknown).toEqual(["src"]);
        expect([...peers.keys()]).toEqual(["third"]);
        expect(driftOf(found)).toEqual([]);
    });

    test("as a target leaves every entry open", () => {
        const { targets, facts } = run({ ...input([], { clusters }), ...without("dst") });
        expect(targets.dst).toEqual({
            state: "unknown",
            unknown: ["src", "third"],
            peers: new Map(),
            ours: new Map(),
            takeOver: [],
            unclaimed: new Map(),
            labels: new Map(),
        });
        expect(Object.keys(facts)).toEqual(["src", "third"]);
    });

    test("does not keep others from telling that a node is skipped everywhere", () => {
        const nodes = { src: [node({ annotations: { key: undefined } })], dst: [BYSTANDER] };
        const { skipped } = run({
            ...input([], { clusters, nodes }),
            knowledge: { ...input([], { clusters, nodes }).knowledge, third: { state: "unknown" } },
        });
        expect(skipped.map(({ node: name, target: where }) => [name, where])).toEqual([["n1", undefined]]);
    });

    test("and whose networks are one list does not stop the plan", () => {
        const flat = { name: "third", allowedNetworks: ["10.3.0.0/16"] };
        const known = { ...input([], { clusters: [source(), target(), flat] }), ...without("third") };
        expect(run(known).targets.dst!.unknown).toEqual(["third"]);
    });
});

test("a peer is wanted if any of the sources plans it", () => {
    const ofThird = live("m--third--n9", { labels: { [MESH]: "m", [SOURCE]: "third" }, publicKey: key(9) });
    const clusters = [source(), target(), THIRD];
    const nodes = {
        src: [node({ seed: 1 })],
        dst: [BYSTANDER],
        third: [node({ seed: 9, pods: ["10.3.9.0/24"], annotations: { "wireguard-ip": undefined } })],
    };
    expect(inDst([ofThird], { clusters, nodes, adopt: true }).takeOver).toEqual([
        { name: "m--third--n9", how: "adopted", wanted: true },
    ]);
});
