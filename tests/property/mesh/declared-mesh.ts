import type { KubeNode } from "../../../provider/kilo/types";
import type { ClusterSpec, PlanInput } from "../../../provider/mesh/types";
import { publicKey } from "../../../tools/clusters/node-spec";
import fc from "../../support/chance";
import { type Declaration, linksOf } from "../../support/kilo-model/declaration";
import { kiloModel } from "../../support/kilo-model/kilo-model";
import type { NodeObject } from "../../support/kilo-model/objects";
import type { Options } from "../../support/kilo-model/options";

/** A mesh in which nothing is wrong, and what its program declares. */
export interface DeclaredMesh {
    readonly input: PlanInput;
    readonly nodes: Readonly<Record<string, readonly NodeObject[]>>;
    readonly declaration: Declaration;
    readonly options: Options;
    /** Excluded nodes that Kilo lets lead nodes which take part, as `cluster/node`: these cannot be reached. */
    readonly excludedLeaders: readonly string[];
    /** An address in the service range of each cluster that declares one. */
    readonly services: Readonly<Record<string, string>>;
}

const CLUSTERS = 4;
const NODES = 4;
const NOW = 1_700_000_000;

interface DrawnNode {
    readonly n: number;
    readonly location: string | undefined;
    readonly leader: boolean;
    readonly hasInternal: boolean;
    readonly endpoint: "public" | "second-family" | "internal" | "name" | "name-of-internal";
    readonly external: boolean;
    readonly fresh: boolean;
    readonly takesPart: "yes" | "excluded" | "ignored";
}

interface DrawnCluster {
    readonly i: number;
    readonly granularity: "full" | "location" | "cross";
    readonly dual: boolean;
    readonly flat: boolean;
    readonly nat: boolean;
    readonly keepalive: number | undefined;
    readonly wireguard: boolean;
    readonly service: boolean;
    readonly additional: boolean;
    readonly nodeCIDRs: boolean;
    readonly accepts: readonly string[] | undefined;
    readonly nodes: readonly DrawnNode[];
}

/** Well-formed meshes of every kind that a program can ask for: one granularity per cluster, all else mixed. */
export const declaredMesh: fc.Arbitrary<DeclaredMesh> = fc
    .integer({ min: 2, max: CLUSTERS })
    .chain((size) => {
        const indexes = Array.from({ length: size }, (_, i) => i);
        return fc.tuple(fc.tuple(...indexes.map(drawnCluster)), drawnTopology(indexes.map(nameOf)));
    })
    .map(([clusters, topology]) => withoutCutOff(meshOf(clusters, topology)));

/** The key of an excluded node is not used: a location that it leads is cut off until Kilo has another leader. */
function withoutCutOff(mesh: Omit<DeclaredMesh, "excludedLeaders">): DeclaredMesh {
    const bare = Object.entries(mesh.nodes).map(([name, nodes]) => [name, { nodes, peers: [] }]);
    const model = kiloModel(Object.fromEntries(bare), mesh.options);
    const excludedLeaders = new Set<string>();
    const meshed = mesh.input.clusters.map(({ name, excludeNodes = [] }) => {
        const leaders = model.leaders(name);
        const taking = (mesh.declaration.meshed?.[name] ?? []).filter((node) => {
            const leader = leaders[node];
            if (leader === undefined || !excludeNodes.includes(leader)) return true;
            excludedLeaders.add(`${name}/${leader}`);
            return false;
        });
        return [name, taking] as const;
    });
    const declaration = { ...mesh.declaration, meshed: Object.fromEntries(meshed) };
    return { ...mesh, declaration, excludedLeaders: [...excludedLeaders].sort() };
}

const nameOf = (i: number): string => `c${i}`;

const podNetworks = (i: number, n: number): readonly [string, string] => [
    `10.${i}.${n}.0/24`,
    `fd00:${i + 1}:0:${n}::/64`,
];

const serviceOf = (i: number): string => `10.${150 + i}.0.0/16`;

const internalOf = (i: number, n: number): string => `192.168.${i}.${n}`;

function drawnTopology(names: readonly string[]): fc.Arbitrary<PlanInput["topology"]> {
    const name = fc.constantFrom(...names);
    const link = fc.tuple(name, name).filter(([a, b]) => a !== b);
    const links = fc.array(link, { minLength: 1, maxLength: 4 });
    return fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.uniqueArray(name, { minLength: 1 }).map((hubs) => ({ hubs })) },
        { weight: 1, arbitrary: links.map((pairs) => ({ links: pairs.map(([a, b]) => ({ a, b })) })) },
    );
}

function drawnCluster(i: number): fc.Arbitrary<DrawnCluster> {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: NODES }), { minLength: 1, maxLength: NODES });
    return fc.record({
        i: fc.constant(i),
        granularity: fc.constantFrom("full", "location", "cross"),
        dual: fc.boolean(),
        flat: fc.boolean(),
        nat: often(false, true),
        keepalive: fc.constantFrom(undefined, 0, 17),
        wireguard: fc.boolean(),
        service: fc.boolean(),
        additional: fc.boolean(),
        nodeCIDRs: fc.boolean(),
        accepts: fc.oneof(
            { weight: 3, arbitrary: fc.constant(undefined) },
            { weight: 1, arbitrary: fc.subarray(ACCEPTABLE) },
        ),
        nodes: numbers.chain((found) => fc.tuple(...found.map(drawnNode))),
    });
}

/** Whole clusters, single nodes, half of a node's network, services; of both families. */
const ACCEPTABLE = Array.from({ length: CLUSTERS }, (_, i) => i).flatMap((i) => [
    `10.${i}.0.0/16`,
    `10.${i}.128.0/17`,
    podNetworks(i, 2)[0],
    `10.${i}.3.0/25`,
    podNetworks(i, 1)[1],
    `fd00:${i + 1}::/48`,
    serviceOf(i),
]);

function drawnNode(n: number): fc.Arbitrary<DrawnNode> {
    return fc.record({
        n: fc.constant(n),
        location: fc.constantFrom(undefined, "eu", "us", ""),
        leader: often(false, true),
        hasInternal: often(true, false),
        endpoint: fc.constantFrom("public", "public", "second-family", "internal", "name", "name-of-internal"),
        external: often(false, true),
        fresh: often(true, false),
        takesPart: often<DrawnNode["takesPart"]>("yes", "excluded", "ignored"),
    });
}

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
    fc.oneof(
        { weight: 5, arbitrary: fc.constant(usual) },
        { weight: 1, arbitrary: fc.constantFrom<T>(usual, ...others) },
    );

function meshOf(
    clusters: readonly DrawnCluster[],
    topology: PlanInput["topology"],
): Omit<DeclaredMesh, "excludedLeaders"> {
    const byName = <T>(make: (cluster: DrawnCluster) => T): Record<string, T> =>
        Object.fromEntries(clusters.map((cluster) => [nameOf(cluster.i), make(cluster)]));
    const nodes = byName((cluster) => cluster.nodes.map((node) => nodeObject(cluster, node)));
    const resolved = Object.fromEntries(clusters.flatMap(({ i, nodes: all }) => all.flatMap((node) => names(i, node))));
    const natted = byName(({ nat }) => nat);
    return {
        nodes,
        services: Object.fromEntries(
            clusters.flatMap(({ i, service }) => (service ? [[nameOf(i), `10.${150 + i}.0.10`]] : [])),
        ),
        input: {
            mesh: "m",
            now: NOW,
            resolved,
            nodes,
            clusters: clusters.map(specOf),
            ...(topology === undefined ? {} : { topology }),
        },
        declaration: {
            // Of two ends behind NAT nobody can open a tunnel.
            links: linksOf(Object.keys(nodes), topology).filter(([a, b]) => !(natted[a] && natted[b])),
            acceptedNetworks: Object.fromEntries(
                clusters.flatMap(({ i, accepts }) => (accepts === undefined ? [] : [[nameOf(i), accepts]])),
            ),
            meshed: byName(({ nodes: all }) =>
                all.filter(({ takesPart }) => takesPart === "yes").map(({ n }) => `n${n}`),
            ),
            podIPs: byName(({ i, dual, nodes: all }) =>
                Object.fromEntries(
                    all.map(({ n }) => [`n${n}`, [`10.${i}.${n}.7`, ...(dual ? [`fd00:${i + 1}:0:${n}::7`] : [])]]),
                ),
            ),
        },
        options: {
            now: NOW,
            resolve: (name) => resolved[name],
            natted: ({ cluster }) => natted[cluster]!,
            bothFamiliesInside: true,
        },
    };
}

function specOf({ i, ...drawn }: DrawnCluster): ClusterSpec {
    const pods = [`10.${i}.0.0/16`, ...(drawn.dual ? [`fd00:${i + 1}::/48`] : [])];
    const wireguard = drawn.wireguard ? [`10.${100 + i}.0.0/24`] : [];
    const service = drawn.service ? [serviceOf(i)] : [];
    const networks = drawn.flat
        ? { allowedNetworks: [...pods, ...wireguard, ...service] }
        : {
              podCIDRs: pods,
              ...(drawn.wireguard ? { wireguardCIDR: wireguard[0]! } : {}),
              ...(drawn.service ? { serviceCIDR: service[0]! } : {}),
              ...(drawn.additional ? { additionalCIDRs: [`172.20.${i}.0/24`] } : {}),
              ...(drawn.nodeCIDRs ? { nodeCIDRs: [`192.168.${i}.0/24`] } : {}),
          };
    const excluded = drawn.nodes.filter(({ takesPart }) => takesPart === "excluded").map(({ n }) => `n${n}`);
    return {
        name: nameOf(i),
        ...networks,
        ...(drawn.nat ? { nat: true } : {}),
        ...(drawn.keepalive === undefined ? {} : { persistentKeepalive: drawn.keepalive }),
        ...(drawn.accepts === undefined ? {} : { acceptedNetworks: [...drawn.accepts] }),
        ...(excluded.length === 0 ? {} : { excludeNodes: excluded }),
    };
}

/** The name that a node has as its endpoint, with its address. */
function names(i: number, { n, endpoint }: DrawnNode): readonly (readonly [string, string])[] {
    if (endpoint === "name") return [[`n${n}.c${i}.example`, `198.51.100.${i * 10 + n}`]];
    return endpoint === "name-of-internal" ? [[`n${n}.c${i}.example`, internalOf(i, n)]] : [];
}

function nodeObject({ i, granularity, dual, nat, wireguard }: DrawnCluster, node: DrawnNode): KubeNode & NodeObject {
    const { n, location, leader, hasInternal, external, fresh, takesPart } = node;
    const endpoint = {
        public: `198.51.100.${i * 10 + n}`,
        "second-family": `[2001:db8::${i}:${n}]`,
        internal: internalOf(i, n),
        name: `n${n}.c${i}.example`,
        "name-of-internal": `n${n}.c${i}.example`,
    }[node.endpoint];
    const annotations: Readonly<Record<string, string | undefined>> = {
        key: publicKey(nameOf(i), `n${n}`),
        endpoint: `${endpoint}:51820`,
        granularity,
        location,
        leader: leader ? "" : undefined,
        "internal-ip": `${internalOf(i, n)}/24`,
        "force-internal-ip": hasInternal ? undefined : "-",
        // Who does not declare it may have Kilo's default, like everybody else.
        "wireguard-ip": wireguard ? `10.${100 + i}.0.${n}/24` : `10.4.0.${n}/16`,
        "last-seen": String(NOW - (fresh ? 10 : 1_000)),
        "persistent-keepalive": nat ? "25" : undefined,
    };
    const set = Object.entries(annotations).flatMap(([name, value]) =>
        value === undefined ? [] : [[`kilo.squat.ai/${name}`, value] as const],
    );
    const podCIDRs = podNetworks(i, n).slice(0, dual ? 2 : 1);
    return {
        metadata: {
            name: `n${n}`,
            annotations: {
                ...Object.fromEntries(set),
                ...(takesPart === "ignored" ? { "kilo-clustermesh.io/ignore": "true" } : {}),
            },
        },
        spec: { podCIDR: podCIDRs[0]!, podCIDRs },
        status: {
            addresses: [
                { type: "InternalIP", address: internalOf(i, n) },
                ...(external ? [{ type: "ExternalIP", address: `203.0.113.${i * 10 + n}` }] : []),
            ],
        },
    };
}
