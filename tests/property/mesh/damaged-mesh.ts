import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { clusterNetworks } from "../../../tools/clusters/networks";
import { nodeObject, publicKey } from "../../../tools/clusters/node-spec";
import fc from "../../support/chance";

export const NOW = 1_767_225_600;

/** Clusters as an `up` left them, and what somebody or something did to them since. */
export interface RandomMesh {
    readonly specs: readonly ClusterSpec[];
    readonly nodes: Readonly<Record<string, readonly KubeNode[]>>;
    readonly peers: Readonly<Record<string, readonly KubePeer[]>>;
}

const NAMES = ["a", "b", "c"];

const arbitraryNode = (cluster: number, index: number) =>
    fc
        .record({
            location: fc.constantFrom("x", "y"),
            leader: fc.boolean(),
            dials: fc.boolean(),
            internal: fc.integer({ max: 5 }).map((n) => n !== 0),
        })
        .map(({ location, leader, dials, internal }) => (granularity: string) => {
            const spec = { name: `${NAMES[cluster]}-n${index}`, granularity, location, leader, lastSeen: NOW - 10 };
            return nodeObject(
                { name: NAMES[cluster]!, index: cluster },
                { ...spec, ...(dials ? { persistentKeepalive: 25 } : {}), ...(internal ? {} : { internalIP: null }) },
            );
        });

const arbitraryCluster = (index: number) =>
    fc
        .record({
            granularity: fc.constantFrom("full", "location", "cross"),
            nat: fc.integer({ max: 3 }).map((n) => n === 0),
            keepalive: fc.constantFrom(0, 25),
            nodes: fc
                .integer({ min: 1, max: 3 })
                .chain((size) => fc.tuple(...[1, 2, 3].slice(0, size).map((n) => arbitraryNode(index, n)))),
        })
        .map(({ granularity, nat, keepalive, nodes }) => {
            const { podCIDR, serviceCIDR } = clusterNetworks(index);
            const spec: ClusterSpec = {
                name: NAMES[index]!,
                podCIDRs: [podCIDR],
                serviceCIDR,
                ...(nat ? { nat } : {}),
                ...(keepalive === 0 ? {} : { persistentKeepalive: keepalive }),
            };
            return { spec, nodes: nodes.map((make) => make(granularity)) };
        });

type Spec = NonNullable<KubePeer["spec"]>;
const endpoint = (ip: string): NonNullable<Spec["endpoint"]> => ({ dnsOrIP: { ip }, port: 51820 });

/** What becomes of a peer; undefined takes it away. */
const PEER_DAMAGE: readonly ((spec: Spec) => Spec | undefined)[] = [
    () => undefined,
    ({ endpoint: _, ...spec }) => spec,
    ({ persistentKeepalive: _, ...spec }) => spec,
    (spec) => ({ ...spec, endpoint: endpoint("203.0.113.77") }),
    (spec) => ({ ...spec, endpoint: endpoint("10.16.1.9") }),
    (spec) => ({ ...spec, publicKey: publicKey("nobody", "x") }),
    (spec) => ({ ...spec, publicKey: publicKey("a", "a-n2") }),
    (spec) => ({ ...spec, publicKey: publicKey("b", "b-n1") }),
    (spec) => ({ ...spec, allowedIPs: spec.allowedIPs!.slice(1) }),
    (spec) => ({ ...spec, allowedIPs: ["10.16.0.0/16"] }),
    (spec) => ({ ...spec, allowedIPs: [...spec.allowedIPs!, "10.17.1.0/24"] }),
    (spec) => ({ ...spec, allowedIPs: [...spec.allowedIPs!, "10.18.2.0/25"] }),
    (spec) => ({ ...spec, presharedKey: publicKey("a", "secret") }),
];

const NODE_DAMAGE: readonly Readonly<Record<string, string>>[] = [
    { "kilo.squat.ai/last-seen": String(NOW - 90) },
    { "kilo.squat.ai/key": publicKey("new", "key") },
    { "kilo.squat.ai/key": "" },
    { "kilo.squat.ai/leader": "" },
    { "kilo.squat.ai/endpoint": "203.0.113.5:51820" },
    {},
];
/** The last one: the node claims pods of another. */
const FORGED = NODE_DAMAGE.length - 1;

/** Which one, and what becomes of it. */
const damage = (kinds: number) => fc.array(fc.tuple(fc.nat(20), fc.nat(kinds - 1)), { maxLength: 2 });

export const RANDOM_MESH: fc.Arbitrary<RandomMesh> = fc
    .record({
        clusters: fc.tuple(arbitraryCluster(0), arbitraryCluster(1), arbitraryCluster(2)),
        size: fc.constantFrom(2, 3),
        peerDamage: damage(PEER_DAMAGE.length),
        nodeDamage: damage(NODE_DAMAGE.length),
    })
    .map(({ clusters, size, peerDamage, nodeDamage }) => {
        const used = clusters.slice(0, size);
        const specs = used.map(({ spec }) => spec);
        const before = Object.fromEntries(used.map(({ spec, nodes }) => [spec.name, nodes]));
        const plan = planMesh({ mesh: "m", clusters: specs, nodes: before, now: NOW });
        const peers = specs.flatMap(({ name: cluster }) =>
            Object.entries(plan.peers[cluster] ?? {}).map(([name, { spec }]) => ({
                cluster,
                name,
                spec: spec as Spec,
            })),
        );
        const damaged = peers.flatMap((peer, i) => {
            const hits = peerDamage.filter(([which]) => which % peers.length === i);
            const spec = hits.reduce<Spec | undefined>((now, [, kind]) => now && PEER_DAMAGE[kind]!(now), peer.spec);
            return spec === undefined ? [] : [{ ...peer, spec }];
        });
        const all = used.flatMap(({ nodes }) => nodes);
        const after = (node: KubeNode): KubeNode => {
            const hits = nodeDamage.filter(([which]) => all[which % all.length] === node);
            const annotations = Object.assign(
                {},
                node.metadata?.annotations,
                ...hits.map(([, kind]) => NODE_DAMAGE[kind]),
            );
            const isForged = hits.some(([, kind]) => kind === FORGED);
            const pods = isForged ? { podCIDR: "10.17.1.0/24", podCIDRs: ["10.17.1.0/24"] } : node.spec!;
            return { ...node, metadata: { ...node.metadata, annotations }, spec: pods };
        };
        return {
            specs,
            nodes: Object.fromEntries(used.map(({ spec, nodes }) => [spec.name, nodes.map(after)])),
            peers: Object.fromEntries(
                specs.map(({ name: cluster }) => [
                    cluster,
                    damaged
                        .filter((peer) => peer.cluster === cluster)
                        .map(({ name, spec }) => ({ metadata: { name, uid: name }, spec })),
                ]),
            ),
        };
    });
