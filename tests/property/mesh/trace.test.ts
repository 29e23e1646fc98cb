import { readHandshakes } from "../../../provider/kilo/observations";
import { readPeer } from "../../../provider/kilo/peer";
import { readNodes } from "../../../provider/kilo/read-nodes";
import { type Trace, tracer } from "../../../provider/mesh/trace/trace";
import type { BreakCode, TraceInput } from "../../../provider/mesh/trace/types";
import { addressOf } from "../../../provider/net/address";
import fc from "../../support/chance";
import { kiloModel } from "../../support/kilo-model/kilo-model";
import type { Reach, Reason } from "../../support/kilo-model/reach";
import { NOW, RANDOM_MESH, type RandomMesh } from "./damaged-mesh";

const inputOf = ({ specs, nodes, peers }: RandomMesh): TraceInput => ({
    clusters: Object.fromEntries(
        specs.map((spec) => [
            spec.name,
            {
                spec,
                nodes: readNodes(nodes[spec.name]!, spec, NOW),
                peers: peers[spec.name]!.flatMap((peer) => readPeer(peer) ?? []),
                handshakes: readHandshakes(nodes[spec.name]!),
            },
        ]),
    ),
    unresolvable: [],
    resolved: {},
});

const modelOf = ({ specs, nodes, peers }: RandomMesh) => {
    const clusters = specs.map(({ name }) => [name, { nodes: nodes[name]!, peers: peers[name]! }]);
    const natted = new Set(specs.flatMap(({ name, nat }) => (nat === true ? name : [])));
    return kiloModel(Object.fromEntries(clusters), {
        now: NOW,
        traffic: false,
        natted: ({ cluster }) => natted.has(cluster),
    });
};

const podOf = (cidr: string): string => cidr.replace(/\.0\/24$/, ".2");

/** What the model calls it. */
const REASONS: Readonly<Record<BreakCode, readonly Reason[]>> = {
    NodeNotReady: ["node-not-ready"],
    Frozen: ["frozen"],
    OwnNetworkReplaced: ["own-network-replaced"],
    NoRoute: ["no-route"],
    NetworkContested: ["network-contested"],
    PeerOfOwnNode: ["no-wireguard-peer"],
    NobodyHasKey: ["nobody-has-key"],
    NotLeader: ["not-leader"],
    PeerMissing: ["peer-missing"],
    PresharedKey: ["preshared-key"],
    EndpointInTunnel: ["endpoint-in-tunnel"],
    NoEndpoint: ["no-endpoint-answers"],
    EndpointReset: ["learnt-endpoint-wiped", "roaming-reset"],
    NobodyDials: ["nobody-dials"],
    SourceRefused: ["source-refused"],
    WrongNode: ["wrong-node"],
    RoutingLoop: ["routing-loop"],
};

/** Two nodes, two peers of a cluster, or a peer and a node of it: which of the things this breaks comes first, is open. */
function hasSharedKey({ nodes, peers, specs }: RandomMesh): boolean {
    const keysOf = (name: string) =>
        nodes[name]!.flatMap(({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"] || []);
    const isShared = (keys: readonly unknown[]): boolean => new Set(keys).size < keys.length;
    return (
        isShared(specs.flatMap(({ name }) => keysOf(name))) ||
        specs.some(({ name }) => isShared([...keysOf(name), ...peers[name]!.map(({ spec }) => spec?.publicKey)]))
    );
}

/** Whether the two name one thing; undefined where the model looks for another one first. */
function isSameBreak(found: Trace, expected: Extract<Reach, { ok: false }>): boolean | undefined {
    const breaks = found.there.breaks ?? found.back!.breaks!;
    const direction = found.there.breaks === undefined ? "back" : "there";
    const isNamed = REASONS[breaks.code].includes(expected.reason);
    // Before anything else it looks whether Kilo has the node that the packet is for; and it follows a tunnel to its end
    // that works until an agent looks again.
    if (expected.reason === "node-not-ready" || breaks.code === "EndpointReset") {
        if (!isNamed || direction !== expected.direction) return undefined;
        if (breaks.at.node !== expected.where.node) return undefined;
    }
    // Of a handshake that fails both ends are right.
    const isThere = breaks.code === "PresharedKey" || breaks.at.node === expected.where.node;
    return isNamed && isThere && direction === expected.direction;
}

test("trace says what the model of Kilo says of every pair of pods, and where and why it breaks, in random meshes that were damaged", () => {
    const verdicts = { ok: 0, broken: 0 };
    const places = { same: 0, another: 0 };
    const codes = new Set<string>();
    fc.assert(
        fc.property(RANDOM_MESH, (mesh) => {
            const trace = tracer(inputOf(mesh));
            const model = modelOf(mesh);
            const isComparable = !hasSharedKey(mesh);
            const pods = mesh.specs.flatMap(({ name: cluster }) =>
                mesh.nodes[cluster]!.map(({ metadata, spec }) => {
                    return { cluster, node: metadata!.name!, address: podOf(spec!.podCIDR!) };
                }),
            );
            const services = mesh.specs.map(({ name: cluster, serviceCIDR }) => {
                return { cluster, address: serviceCIDR!.replace(/0\/\d+$/, "10") };
            });
            for (const from of pods) {
                for (const to of [...pods, ...services]) {
                    if (from.cluster === to.cluster) continue;
                    const found = trace(
                        { ...from, address: addressOf(from.address)! },
                        { ...to, address: addressOf(to.address)! },
                    );
                    const expected = model.reach(from, to);
                    verdicts[found.ok ? "ok" : "broken"]++;
                    const breaks = found.there.breaks ?? found.back?.breaks;
                    if (breaks !== undefined) codes.add(breaks.code);
                    const isSame = expected.ok || found.ok ? undefined : isSameBreak(found, expected);
                    if (found.ok !== expected.ok || (isSame === false && isComparable)) {
                        throw new Error(JSON.stringify({ from, to, expected, found }, undefined, 1));
                    }
                    if (isComparable && !found.ok) places[isSame === true ? "same" : "another"]++;
                }
            }
        }),
        { numRuns: 500 },
    );
    expect(verdicts.ok).toBeGreaterThan(1_000);
    expect(verdicts.broken).toBeGreaterThan(1_000);
    expect(places.same).toBeGreaterThan(6 * places.another);
    expect([...codes].sort()).toEqual([
        "EndpointInTunnel",
        "EndpointReset",
        "NetworkContested",
        "NoEndpoint",
        "NoRoute",
        "NobodyDials",
        "NobodyHasKey",
        "NodeNotReady",
        "NotLeader",
        "OwnNetworkReplaced",
        "PeerMissing",
        "PeerOfOwnNode",
        "PresharedKey",
        "SourceRefused",
        "WrongNode",
    ]);
});
