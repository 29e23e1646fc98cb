import type { KnownNode } from "../../../provider/kilo/types";
import type { planMesh } from "../../../provider/mesh/plan-mesh";
import fc from "../../support/chance";
import { judge } from "../../support/kilo-model/judge";
import { kiloModel } from "../../support/kilo-model/kilo-model";
import type { ClusterObjects, PeerObject } from "../../support/kilo-model/objects";
import { type DeclaredMesh, declaredMesh } from "./declared-mesh";
import { mutatedExports } from "./mutated-source";
import { objectsOf } from "./objects-of";
import { servicesJudged } from "./services-judged";

/**
 * A judge that finds nothing wrong proves nothing. Each of these breaks one rule of planning and leaves all else, and the
 * model alone must find it in some of a few meshes.
 */
type Objects = Readonly<Record<string, ClusterObjects>>;
type Planning = typeof planMesh;

const MESHES = 150;
const meshes = fc.sample(declaredMesh, { numRuns: MESHES });

function isFound(mesh: DeclaredMesh, clusters: Objects): boolean {
    const { declaration, options } = mesh;
    const model = kiloModel(clusters, options);
    return judge({ clusters, declaration, options, model }).length > 0 || servicesJudged(mesh, model).length > 0;
}

/** In how many meshes; it stops at the first ones. */
function found(objects: (mesh: DeclaredMesh) => Objects): number {
    let count = 0;
    for (const mesh of meshes) {
        if (isFound(mesh, objects(mesh))) count++;
        if (count === 3) break;
    }
    return count;
}

/** The planner with one module changed. */
function planning(module: string, change: (actual: Record<string, unknown>) => object): Planning {
    let mutated: Planning | undefined;
    jest.isolateModules(() => {
        const actual = jest.requireActual(module) as Record<string, unknown>;
        jest.doMock(module, () => ({ ...actual, ...change(actual) }));
        mutated = (jest.requireActual("../../../provider/mesh/plan-mesh") as { planMesh: Planning }).planMesh;
        jest.dontMock(module);
    });
    return mutated!;
}

const LEADER = "../../../provider/kilo/leader";
const SEGMENT = "../../../provider/mesh/segments/segment";
const CIDR = "../../../provider/net/cidr";

type Order = (nodes: readonly KnownNode[], hints?: object) => readonly KnownNode[];
interface Network {
    readonly text: string;
}
type Carried = readonly { readonly pods: readonly Network[] }[];
type Own = (carried: Carried, wireguard: unknown, without: (address: unknown) => boolean) => readonly Network[];

const ownNetworks = (change: (own: Own) => Own) =>
    planning(SEGMENT, ({ ownNetworks: own }) => ({ ownNetworks: change(own as Own) }));

const leaderOrder = (change: (order: Order) => Order) =>
    planning(LEADER, ({ leaderOrder: order }) => ({ leaderOrder: change(order as Order) }));

const byName = (a: KnownNode, b: KnownNode): number => (a.name < b.name ? -1 : 1);

const MUTATED_PLANNERS: readonly (readonly [string, () => Planning])[] = [
    ["the leader is the first node by name", () => leaderOrder(() => (nodes) => [...nodes].sort(byName))],
    [
        "stale nodes lead like others",
        () =>
            leaderOrder((order) => (nodes, hints) => {
                const asFresh = order(
                    nodes.map(({ stale: _, ...node }) => node),
                    hints,
                );
                return asFresh.map(({ name }) => nodes.find((node) => node.name === name)!);
            }),
    ],
    ["addresses of names do not count for the leader", () => leaderOrder((order) => (nodes) => order(nodes, {}))],
    [
        "a location carries the pods of one node only",
        () =>
            ownNetworks(
                (own) =>
                    (carried, ...rest) =>
                        own(carried.slice(0, 1), ...rest),
            ),
    ],
    [
        "only the first family is routed",
        () =>
            ownNetworks(
                (own) =>
                    (...given) =>
                        own(...given).filter(({ text }) => !text.includes(":")),
            ),
    ],
    [
        "endpoints are routed into their own tunnels",
        () => ownNetworks((own) => (carried, wireguard) => own(carried, wireguard, () => false)),
    ],
    [
        "what a target does not accept is routed",
        () => planning(CIDR, () => ({ intersection: ([all]: never[]) => [all] })),
    ],
    ["a peer without endpoint has no keepalive", () => planning(SEGMENT, () => ({ keepaliveOf: () => 0 }))],
];

/** The planner with one place of its source changed. */
const rewritten = (file: string, from: string, to: string) => () =>
    mutatedExports<{ planMesh: Planning }>("provider/mesh/plan-mesh.ts", { file, from, to }).planMesh;

const PLAN_TARGET = "provider/mesh/plan/plan-target.ts";

const REWRITTEN_PLANNERS: readonly (readonly [string, () => Planning])[] = [
    [
        "networks are not masked",
        rewritten(
            "provider/mesh/segments/segment.ts",
            "= { allowedIPs, publicKey: key }",
            '= { allowedIPs: allowedIPs.map((cidr) => cidr.replace(/0\\/24$/, "1/24")), publicKey: key }',
        ),
    ],
    [
        "every peer of a cluster carries its services",
        rewritten(PLAN_TARGET, "candidate === carrier.candidate ? anchors : []", "anchors"),
    ],
    [
        "services have a peer of their own, with the key of a node",
        rewritten(
            PLAN_TARGET,
            "if (!source.judged) {",
            `for (const [name, peer] of [...planned]) {
                const own = new Set(anchors.map(({ text }) => text));
                const services = peer.spec.allowedIPs.filter((cidr) => own.has(cidr));
                if (services.length === 0) continue;
                const rest = peer.spec.allowedIPs.filter((cidr) => !own.has(cidr));
                planned.set(name, { spec: { ...peer.spec, allowedIPs: rest } });
                planned.set(name + "-services", { spec: { ...peer.spec, allowedIPs: services } });
            }
            if (!source.judged) {`,
        ),
    ],
    [
        "services ride on the first segment, fresh or not",
        rewritten(PLAN_TARGET, "const fresh = candidates.find(isSteady);", "const fresh = candidates[0];"),
    ],
    [
        "node addresses that are endpoints are routed",
        rewritten(PLAN_TARGET, "return endpoints.has(", "return false && endpoints.has("),
    ],
    [
        "an excluded node leads its location like any other",
        rewritten(
            "provider/mesh/segments/identity.ts",
            "!state.excluded && couldLeadInside(state)",
            "couldLeadInside(state)",
        ),
    ],
    [
        "nodes without an internal IP are part of their location",
        rewritten(
            "provider/kilo/kilo-segments.ts",
            'granularity === "location" && noInternalIP !== true',
            'granularity === "location"',
        ),
    ],
    [
        "endpoints are taken from a cluster behind NAT",
        rewritten("provider/kilo/endpoint.ts", "cluster.nat === true", "cluster.nat === undefined"),
    ],
];

const sourceOf = ({ metadata }: PeerObject): string | undefined => metadata?.name?.split("--")[1];

const withNetworks = (peer: PeerObject, change: (networks: readonly string[]) => readonly string[]): PeerObject => ({
    ...peer,
    spec: { ...peer.spec, allowedIPs: change(peer.spec?.allowedIPs ?? []) },
});

const MUTATED_OBJECTS: readonly (readonly [string, (objects: Objects) => Objects])[] = [
    [
        "a peer carries the pod network of the target's own first node",
        (objects) =>
            Object.fromEntries(
                Object.entries(objects).map(([name, { nodes, peers }]) => {
                    const [first, ...others] = peers;
                    const own = nodes[0]?.spec?.podCIDR ?? "";
                    const taken = first && withNetworks(first, (all) => [...all, own]);
                    return [name, { nodes, peers: taken === undefined ? [] : [taken, ...others] }];
                }),
            ),
    ],
    [
        "all peers of a cluster are missing in one target",
        (objects) => {
            const [[name, first], ...others] = Object.entries(objects) as [[string, ClusterObjects]];
            const peers = first.peers.filter((peer) => sourceOf(peer) !== "c1");
            return Object.fromEntries([[name, { ...first, peers }], ...others]);
        },
    ],
];

test("none of these meshes is found wrong as it is planned", () => {
    expect(found(objectsOf)).toBe(0);
});

test.each([...MUTATED_PLANNERS, ...REWRITTEN_PLANNERS])("the model alone finds a planner by which %s", (_, mutate) => {
    const mutated = mutate();
    expect(found((mesh) => objectsOf(mesh, mutated))).toBeGreaterThan(0);
});

test.each(MUTATED_OBJECTS)("the model alone finds objects in which %s", (_, change) => {
    expect(found((mesh) => change(objectsOf(mesh)))).toBeGreaterThan(0);
});
