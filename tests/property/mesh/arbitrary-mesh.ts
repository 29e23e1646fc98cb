import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import type { ClusterSpec, PlanInput } from "../../../provider/mesh/types";
import { networkOf, overlaps } from "../../../provider/net/cidr";
import fc from "../../support/chance";
import { key } from "../../support/keys";

/** Runs per property. `MESH_RUNS` asks for more, or for a quick look. */
export const RUNS = Number(process.env.MESH_RUNS ?? 2_000);

/** A plain assertion: `expect` is too slow for the millions that the properties make. */
export function holds(condition: boolean, ...what: readonly unknown[]): void {
    if (!condition)
        throw new Error(what.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "));
}

interface Options {
    /** No two nodes share a key, a pod CIDR, an address or a WireGuard address, and nothing is malformed. */
    readonly clean?: boolean;
    /** Nearly every key is on nodes of several clusters and on peers, most of which are ours. */
    readonly contested?: boolean;
}

const CLUSTERS = 4;
const NODES = 4;

/**
 * Small meshes in which everything that can meet does meet: few keys, few addresses, all granularities, both forms of
 * networks, both families, peers of ours and of others, observations, and values that are missing or wrong.
 */
export function arbitraryMesh({ clean = false, contested = false }: Options = {}): fc.Arbitrary<PlanInput> {
    return fc.integer({ min: 2, max: CLUSTERS }).chain((size) => {
        const indexes = Array.from({ length: size }, (_, i) => i);
        const names = indexes.map((i) => `c${i}`);
        return fc
            .record({
                clusters: fc.tuple(...indexes.map((i) => arbitraryCluster(i, clean, contested))),
                nodes: fc.tuple(...indexes.map((i) => arbitraryNodes(i, clean, contested))),
                live: fc.tuple(
                    ...names.map((name) =>
                        fc.array(arbitraryPeer(names, contested ? name : undefined), { maxLength: clean ? 0 : 4 }),
                    ),
                ),
                claims: fc.tuple(...indexes.map(() => fc.boolean())),
                topology: arbitraryTopology(names),
                adopt: clean ? fc.constant(false) : fc.boolean(),
                now: fc.option(fc.constant(1_700_000_000), { nil: undefined }),
                unresolvable: fc.constantFrom([], clean ? [] : ["gw.example.com"]),
            })
            .map(({ clusters, nodes, live, claims, topology, now, ...rest }): PlanInput => {
                return {
                    mesh: "m",
                    ...rest,
                    clusters,
                    nodes: Object.fromEntries(names.map((name, i) => [name, nodes[i]!])),
                    livePeers: Object.fromEntries(names.map((name, i) => [name, unique(live[i]!)])),
                    claims: Object.fromEntries(
                        names.flatMap((name, i) => (claims[i] ? [[name, `claim-${name}`]] : [])),
                    ),
                    ...(topology === undefined ? {} : { topology }),
                    ...(now === undefined ? {} : { now }),
                };
            });
    });
}

/** An API server has one object per name. */
function unique(peers: readonly KubePeer[]): readonly KubePeer[] {
    return [...new Map(peers.map((peer) => [peer.metadata?.name, peer])).values()];
}

function arbitraryTopology(names: readonly string[]): fc.Arbitrary<PlanInput["topology"]> {
    const name = fc.constantFrom(...names);
    const link = fc.tuple(name, name).filter(([a, b]) => a !== b);
    return fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.uniqueArray(name, { minLength: 1 }).map((hubs) => ({ hubs })) },
        {
            weight: 1,
            arbitrary: fc.array(link, { minLength: 1, maxLength: 4 }).map((links) => ({
                links: links.map(([a, b]) => ({ a, b })),
            })),
        },
    );
}

function arbitraryCluster(i: number, clean: boolean, contested: boolean): fc.Arbitrary<ClusterSpec> {
    const maybe = <T>(value: T): fc.Arbitrary<T | undefined> => fc.constantFrom(value, undefined);
    return fc
        .record({
            flat: fc.boolean(),
            wireguardCIDR: maybe(`10.${100 + i}.0.0/24`),
            serviceCIDR: maybe(`10.${150 + i}.0.0/16`),
            additionalCIDRs: maybe([`172.20.${i}.0/24`, `fd00:ad:${i}::/48`]),
            nodeCIDRs: maybe([`192.168.${i}.0/24`]),
            acceptedNetworks: fc.oneof(
                { weight: 4, arbitrary: fc.constant(undefined) },
                {
                    weight: 1,
                    arbitrary: fc.subarray(["10.0.0.0/15", "10.1.2.0/25", "10.152.0.0/13", "fd00::/16", "10.3.0.0/16"]),
                },
            ),
            nat: maybe(true),
            persistentKeepalive: fc.constantFrom(undefined, 0, 17),
            discoveredEndpoints: maybe(false),
            nodeSelector: clean ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, { pool: "mesh" }),
        })
        .map(({ flat, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs, ...rest }) => {
            const pods = [`10.${i}.0.0/16`, `fd00:${i + 1}::/48`];
            const networks = flat
                ? { allowedNetworks: [...pods, `10.${100 + i}.0.0/24`, `10.${150 + i}.0.0/16`] }
                : { podCIDRs: pods, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs };
            const set = Object.entries({ ...networks, ...rest }).filter(([, value]) => value !== undefined);
            // who contests a key is a cluster with nodes: of one that lists none, peers are not kept as they are found
            return { name: `c${i}`, ...Object.fromEntries(set), ...(contested ? { allowEmpty: true } : {}) };
        });
}

function arbitraryNodes(i: number, clean: boolean, contested: boolean): fc.Arbitrary<KubeNode[]> {
    const names = fc.uniqueArray(fc.integer({ min: 1, max: NODES }), { maxLength: NODES });
    return names.chain((found) => fc.tuple(...found.map((n) => arbitraryNode(i, n, clean, contested))));
}

function arbitraryNode(i: number, n: number, clean: boolean, contested: boolean): fc.Arbitrary<KubeNode> {
    const odd = <T>(usual: T, ...others: readonly (T | undefined)[]): fc.Arbitrary<T | undefined> =>
        clean
            ? fc.constant(usual)
            : fc.oneof(
                  { weight: 5, arbitrary: fc.constant(usual) },
                  { weight: 1, arbitrary: fc.constantFrom<T | undefined>(undefined, ...others) },
              );
    const other = 1 + (n % NODES);
    return fc
        .record({
            pods: odd(
                [`10.${i}.${n}.0/24`, `fd00:${i + 1}:0:${n}::/64`],
                [`10.${i}.${other}.0/24`],
                [`10.${i}.0.0/16`],
                ["10.9.0.0/24"],
                [`10.${(i + 1) % CLUSTERS}.${n}.0/24`],
                ["nonsense"],
                [`10.${i}.${n}.7/24`],
            ),
            key: contested
                ? fc.integer({ min: 1, max: NODES }).map(key)
                : odd(key(i * 10 + n), key(i * 10 + other), key(n), "short", `${"A".repeat(43)}=`),
            wireguard: odd(
                `10.${100 + i}.0.${n}/16`,
                `10.${100 + i}.0.${other}/24`,
                "10.9.0.1/24",
                "bad",
                `10.${i}.${n}.9/16`,
            ),
            endpoint: odd(
                `198.51.100.${i * 10 + n}:51820`,
                `192.168.${i}.${n}:51820`,
                "gw.example.com:51820",
                "garbage",
                `10.${i}.${n}.3:51820`,
                "[2001:db8::5]:40000",
            ),
            force: clean
                ? fc.constant(undefined)
                : odd<string | undefined>(undefined, "203.0.113.9:1", "x", "gw.example.com:2"),
            pinned: clean ? fc.constant(undefined) : odd<string | undefined>(undefined, "203.0.113.8:51820", ":"),
            granularity: fc.constantFrom("full", "cross", "location", "location", undefined),
            location: fc.constantFrom(undefined, "eu", "EU", "", "default", "a_b"),
            leader: fc.constantFrom(undefined, "", "false"),
            internal: fc.constantFrom(`192.168.${i}.${n}`, `192.168.${i}.${clean ? n : other}`),
            external: fc.constantFrom<readonly string[]>([], [`203.0.113.${i * 10 + n}`], [`2001:db8::${i}:${n}`]),
            seen: fc.constantFrom(undefined, "1699999990", "1600000000"),
            pool: fc.constantFrom("mesh", "other"),
            noInternal: fc.constantFrom(undefined, undefined, "-"),
            observed: clean ? fc.constant(undefined) : fc.option(arbitraryObservations(), { nil: undefined }),
        })
        .map((given): KubeNode => {
            const annotations = {
                key: given.key,
                "wireguard-ip": given.wireguard,
                endpoint: given.endpoint,
                "force-endpoint": given.force,
                "clustermesh-endpoint": given.pinned,
                granularity: given.granularity,
                location: given.location,
                leader: given.leader,
                "internal-ip": `${given.internal}/24`,
                "force-internal-ip": given.noInternal,
                "last-seen": given.seen,
                "discovered-endpoints": given.observed,
            };
            const set = Object.entries(annotations).filter(
                (entry): entry is [string, string] => entry[1] !== undefined,
            );
            return {
                metadata: {
                    name: `n${n}`,
                    labels: { pool: given.pool },
                    annotations: Object.fromEntries(set.map(([name, value]) => [`kilo.squat.ai/${name}`, value])),
                },
                spec: given.pods === undefined ? {} : { podCIDRs: given.pods },
                status: {
                    addresses: [
                        { type: "InternalIP", address: given.internal },
                        ...given.external.map((address) => ({ type: "ExternalIP", address })),
                    ],
                },
            };
        });
}

function arbitraryObservations(): fc.Arbitrary<string> {
    const seed = fc.integer({ min: 0, max: 10 * CLUSTERS });
    const ip = fc.constantFrom("198.51.100.200", "127.0.0.1", "10.0.1.5", "fe80::1", "2001:db8::99", "x");
    return fc
        .array(fc.tuple(seed, ip, fc.constantFrom(51820, 40123, 0, 70000)), { maxLength: 6 })
        .map((found) =>
            JSON.stringify(Object.fromEntries(found.map(([n, IP, Port]) => [key(n), { IP, Port, Zone: "" }]))),
        );
}

/**
 * Peers of ours, of an operator and of strangers, under names and with keys and networks that may be wanted. In a target that
 * is named they are mostly its own, with keys that nodes contest.
 */
function arbitraryPeer(names: readonly string[], target?: string): fc.Arbitrary<KubePeer> {
    const source = fc.constantFrom(...names);
    return fc
        .record({
            source,
            node: fc.integer({ min: 1, max: NODES }),
            seed:
                target === undefined ? fc.integer({ min: 0, max: 10 * CLUSTERS }) : fc.integer({ min: 1, max: NODES }),
            whose: fc.constantFrom("claim", "claim", "operator", "stranger"),
            claim: target === undefined ? source : fc.constantFrom(target, target, ...names),
            networks: fc.subarray([
                "10.0.1.0/24",
                "10.2.0.0/15",
                "10.101.0.2/32",
                "192.168.1.0/24",
                "junk",
                "fd00:2::/32",
            ]),
            discovered: fc.constantFrom(undefined, "198.51.100.77:1000"),
        })
        .map(({ source: from, node, seed, whose, claim, networks, discovered }) => ({
            metadata: {
                name: `m--${from}--n${node}`,
                uid: `${from}-${node}-${seed}`,
                labels: {
                    ...(whose === "stranger"
                        ? {}
                        : { "kilo-clustermesh.io/mesh": "m", "kilo-clustermesh.io/source-cluster": from }),
                    ...(whose === "claim" ? { "kilo-clustermesh.io/claim": `claim-${claim}` } : {}),
                },
                annotations:
                    discovered === undefined
                        ? {}
                        : {
                              "kilo-clustermesh.io/discovered-endpoint": discovered,
                              "kilo-clustermesh.io/configured-endpoint": `198.51.100.${seed}:51820`,
                          },
            },
            spec: { publicKey: key(seed), allowedIPs: networks },
        }));
}

/** Networks that a cluster may be routed to by. */
export function declaredOf(cluster: ClusterSpec): readonly string[] {
    const { podCIDRs, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs, allowedNetworks } = cluster;
    return [podCIDRs, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs, allowedNetworks].flatMap(
        (value) => value ?? [],
    );
}

export function isInside(inner: string, outers: readonly string[]): boolean {
    const network = networkOf(inner)!;
    return outers.some((text) => {
        const outer = networkOf(text)!;
        return outer.first <= network.first && network.last <= outer.last;
    });
}

export function meets(a: string, b: string): boolean {
    const [x, y] = [networkOf(a), networkOf(b)];
    return x !== undefined && y !== undefined && overlaps(x, y);
}
