import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan, PlanInput } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { arbitraryMesh, declaredOf, holds, isInside, meets, RUNS } from "./arbitrary-mesh";

const SOURCE = "kilo-clustermesh.io/source-cluster";
const CLAIM = "kilo-clustermesh.io/claim";

const meshes = fc.sample(arbitraryMesh(), { numRuns: RUNS });
const plans = meshes.map((mesh) => planMesh(mesh));

type Promised = (input: PlanInput, plan: Plan) => void;

/** All promises are held against the same meshes, which take longer to draw than to plan. What fails is then shrunk. */
function check(promised: Promised): void {
    try {
        meshes.forEach((mesh, i) => {
            holds(!plans[i]!.issues.some(({ severity }) => severity === "error"), "errors", plans[i]!.issues);
            promised(mesh, plans[i]!);
        });
    } catch (error) {
        const property = fc.property(arbitraryMesh(), (mesh) => promised(mesh, planMesh(mesh)));
        fc.assert(property, { numRuns: RUNS });
        throw error;
    }
}

const VALID_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const inOrder = ({ peers, skipped, issues, capacity, graph }: Plan) => [peers, skipped, issues, capacity, graph];

const targets = (plan: Plan) =>
    Object.entries(plan.peers).map(([target, peers]) => ({ target, peers: Object.entries(peers) }));

const clusterOf = (input: PlanInput, name: string | undefined): ClusterSpec =>
    input.clusters.find((cluster) => cluster.name === name)!;

/** Live peers of a target that are neither ours nor taken over. */
function foreignIn(input: PlanInput, target: string): readonly KubePeer[] {
    const claim = input.claims?.[target];
    const names = input.clusters.map(({ name }) => name).filter((name) => name !== target);
    return (input.livePeers?.[target] ?? []).filter(({ metadata }) => {
        const labels = metadata?.labels ?? {};
        const isOurs = claim !== undefined && labels[CLAIM] === claim;
        return !isOurs && !(input.adopt === true && names.includes(labels[SOURCE] ?? ""));
    });
}

const withListsReversed = (cluster: ClusterSpec): ClusterSpec => {
    const entries = Object.entries(cluster).map(([field, value]) => [
        field,
        Array.isArray(value) ? [...value].reverse() : value,
    ]);
    return Object.fromEntries(entries) as unknown as ClusterSpec;
};

test("the order of clusters, networks, nodes, peers and links never changes a byte of the plan", () => {
    const reversed = <T>(list: readonly T[]): T[] => [...list].reverse();
    const each = <T>(record: Readonly<Record<string, readonly T[]>>) =>
        Object.fromEntries(reversed(Object.entries(record)).map(([name, list]) => [name, reversed(list)]));
    check((input, plan) => {
        const { hubs, links } = input.topology ?? {};
        const other = planMesh({
            ...input,
            clusters: reversed(input.clusters).map(withListsReversed),
            nodes: each(input.nodes),
            livePeers: each(input.livePeers ?? {}),
            ...(hubs === undefined ? {} : { topology: { hubs: reversed(hubs) } }),
            ...(links === undefined
                ? {}
                : { topology: { links: reversed(links).map(({ a, b }) => ({ a: b, b: a })) } }),
        });
        holds(JSON.stringify(other) === JSON.stringify(plan), "differs", other, plan);
    });
});

test("planning twice gives the same bytes and leaves its input as it was", () => {
    check((input, plan) => {
        const before = JSON.stringify(input);
        holds(JSON.stringify(planMesh(input)) === JSON.stringify(plan), "differs");
        holds(JSON.stringify(input) === before, "changed its input");
    });
});

test("nothing outside the source's declared networks or inside the target's is ever routed", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const taboo = declaredOf(clusterOf(input, target));
            for (const [, { labels, spec }] of peers) {
                const allowed = declaredOf(clusterOf(input, labels[SOURCE]));
                holds(spec.allowedIPs.length > 0, "empty");
                for (const cidr of spec.allowedIPs) {
                    holds(isInside(cidr, allowed), cidr, "is not in", allowed);
                    holds(!taboo.some((own) => meets(own, cidr)), cidr, "is in", target);
                }
            }
        }
    });
});

test("a target lets in nothing beyond its accepted networks", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const { acceptedNetworks } = clusterOf(input, target);
            if (acceptedNetworks === undefined) continue;
            for (const [, { spec }] of peers) {
                for (const cidr of spec.allowedIPs) holds(isInside(cidr, acceptedNetworks), cidr, "was not accepted");
            }
        }
    });
});

test("no network is on two peers of a target, and none overlaps a peer that is not ours", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const routed = peers.flatMap(([, { spec }]) => spec.allowedIPs);
            routed.forEach((a, i) => {
                for (const b of routed.slice(i + 1)) holds(!meets(a, b), a, "meets", b);
            });
            const foreign = foreignIn(input, target).flatMap(({ spec }) => spec?.allowedIPs ?? []);
            for (const a of routed) for (const b of foreign) holds(!meets(a, b), a, "meets foreign", b);
        }
    });
});

test("a key is on one peer of a target, and never that of a stranger or of the target's own node", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const keys = peers.map(([, { spec }]) => spec.publicKey);
            holds(new Set(keys).size === keys.length, "a key twice", keys);
            const own = (input.nodes[target] ?? []).map(({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"]);
            const foreign = foreignIn(input, target).map(({ spec }) => spec?.publicKey);
            for (const taken of [...own, ...foreign]) holds(!keys.includes(taken ?? ""), "has key", taken);
        }
    });
});

test("names are valid, unique per segment and never a stranger's; labels say whose the peer is", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const foreign = foreignIn(input, target).map(({ metadata }) => metadata?.name);
            for (const [name, { labels }] of peers) {
                holds(VALID_NAME.test(name), "invalid name", name);
                holds(name.length <= 253, "long name", name);
                holds(!foreign.includes(name), "foreign name", name);
                holds(labels[CLAIM] === input.claims?.[target], "claim", labels);
                holds(labels["app.kubernetes.io/managed-by"] === "pulumi", "manager", labels);
                holds(labels[SOURCE] !== target, "its own source");
            }
        }
    });
});

test("no route leads to an endpoint of the same target, and a peer without endpoint is kept alive", () => {
    check((input, plan) => {
        for (const { peers } of targets(plan)) {
            const hosts = peers.flatMap(([, { spec }]) => spec.endpoint?.dnsOrIP.ip ?? []);
            for (const [, { labels, spec }] of peers) {
                const ip = spec.endpoint?.dnsOrIP.ip;
                const host = ip === undefined ? undefined : `${ip}/${ip.includes(":") ? 128 : 32}`;
                for (const cidr of spec.allowedIPs) {
                    if (host !== undefined) holds(!meets(cidr, host), cidr, "leads to its endpoint", host);
                    const { nodeCIDRs = [] } = clusterOf(input, labels[SOURCE]);
                    if (isInside(cidr, nodeCIDRs)) holds(!hosts.includes(cidr.split("/")[0]!), "loop", cidr);
                }
                if (spec.endpoint === undefined) holds((spec.persistentKeepalive ?? 0) > 0, "not kept alive");
            }
        }
    });
});

/** What a second run plans, when the first one was written and every observation is forgotten. */
function isPlannedAgain(input: PlanInput): void {
    const claims = Object.fromEntries(input.clusters.map(({ name }) => [name, `claim-${name}`]));
    const first = planMesh({ ...input, claims });
    const livePeers = Object.fromEntries(
        targets(first).map(({ target, peers }) => [
            target,
            [
                ...foreignIn({ ...input, claims }, target),
                ...peers.map(([name, { labels, annotations, spec }]) => ({
                    metadata: { name, labels, ...(annotations === undefined ? {} : { annotations }) },
                    spec,
                })),
            ],
        ]),
    );
    const nodes = Object.fromEntries(
        Object.entries(input.nodes).map(([name, list]) => [
            name,
            list.map((node) => {
                const { "kilo.squat.ai/discovered-endpoints": _, ...annotations } = node.metadata?.annotations ?? {};
                return { ...node, metadata: { ...node.metadata, annotations } };
            }),
        ]),
    );
    const second = planMesh({ ...input, claims, livePeers, nodes });
    holds(JSON.stringify(second.peers) === JSON.stringify(first.peers), "flaps", second.peers, first.peers);
}

test("what was planned and written is planned again when every observation is forgotten: two runs never flap", () => {
    check(isPlannedAgain);
});

test("two runs never flap where clusters contest each other's keys", () => {
    fc.assert(fc.property(arbitraryMesh({ contested: true }), isPlannedAgain), { numRuns: RUNS });
});

test("removing a node only removes what was its own, or re-homes what rode on it", () => {
    fc.assert(
        fc.property(arbitraryMesh({ clean: true }), fc.nat(), (input, pick) => {
            const all = Object.entries(input.nodes).flatMap(([cluster, nodes]) =>
                nodes.map((node) => ({ cluster, node })),
            );
            if (all.length === 0) return;
            const gone = all[pick % all.length]!;
            const rest = (input.nodes[gone.cluster] ?? []).filter((node) => node !== gone.node);
            const before = planMesh(input);
            const after = planMesh({ ...input, nodes: { ...input.nodes, [gone.cluster]: rest } });
            const cluster = clusterOf(input, gone.cluster);
            const ip = (text: string) => `${text}/${text.includes(":") ? 128 : 32}`;
            const wireguard = gone.node.metadata?.annotations?.["kilo.squat.ai/wireguard-ip"]?.split("/")[0];
            const own = [
                ...(gone.node.spec?.podCIDRs ?? []),
                ...(wireguard === undefined ? [] : [ip(wireguard)]),
                ...(gone.node.status?.addresses ?? []).map(({ address }) => ip(address)),
            ];
            const locations = input.nodes[gone.cluster]!.some(
                ({ metadata }) => metadata?.annotations?.["kilo.squat.ai/granularity"] === "location",
            );
            const shared = [cluster.serviceCIDR, cluster.additionalCIDRs, cluster.allowedNetworks].flatMap(
                (c) => c ?? [],
            );
            for (const { target, peers } of targets(before)) {
                const was = new Set(peers.flatMap(([, { spec }]) => spec.allowedIPs));
                const is = new Set(Object.values(after.peers[target]!).flatMap(({ spec }) => spec.allowedIPs));
                for (const cidr of was) {
                    // in a location the next leader brings its own WireGuard address, and the last node takes all with it
                    const mayGo = isInside(cidr, own) || isInside(cidr, shared) || target === gone.cluster;
                    if (!is.has(cidr)) holds(mayGo || (locations && cidr.endsWith("/32")), "lost", cidr);
                }
                for (const cidr of is) {
                    // an endpoint that is gone frees the route to its address, in the flat form an entry may be nobody's now
                    const mayCome =
                        isInside(cidr, shared) ||
                        cidr.endsWith("/32") ||
                        cidr.endsWith("/128") ||
                        target === gone.cluster;
                    if (!was.has(cidr)) holds(mayCome, "gained", cidr);
                }
                for (const [name, peer] of Object.entries(after.peers[target]!)) {
                    const { labels } = peer;
                    if (labels[SOURCE] === gone.cluster || target === gone.cluster) continue;
                    holds(before.peers[target]![name]?.spec.publicKey === peer.spec.publicKey, "changed", name);
                }
            }
        }),
        { numRuns: RUNS },
    );
});

test("planning with what was known before, while nobody is seen, is planning from the nodes", () => {
    check((input, plan) => {
        const silent = planMesh({ ...input, nodes: {}, lastKnown: plan.facts });
        for (const [target, peers] of Object.entries(plan.peers)) {
            const names = Object.keys(peers).filter((name) => !Object.hasOwn(silent.peers[target]!, name));
            holds(names.length === 0, "lost", target, names, silent.skipped);
        }
    });
});

test("capacity is what the plan holds", () => {
    check((_, plan) => {
        const counts = Object.fromEntries(targets(plan).map(({ target, peers }) => [target, peers.length]));
        holds(JSON.stringify(plan.capacity.peersPerTarget) === JSON.stringify(counts), "counts", counts);
        holds(plan.capacity.objects === Object.values(counts).reduce((a, b) => a + b, 0), "objects");
    });
});
