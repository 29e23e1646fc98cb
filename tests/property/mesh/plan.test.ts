import { isDeepStrictEqual } from "node:util";
import type { KubePeer } from "../../../provider/kilo/types";
import { linkedPairs } from "../../../provider/mesh/args/topology";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { ARGUMENT_FINDINGS } from "../../../provider/mesh/report/argument-findings";
import type { ClusterSpec, Plan, PlanInput } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { arbitraryMesh, declaredOf, holds, isInside, meets, RUNS } from "./arbitrary-mesh";

const SOURCE = "kilo-clustermesh.io/source-cluster";
const CLAIM = "kilo-clustermesh.io/claim";
const MESH = "kilo-clustermesh.io/mesh";

const meshes = fc.sample(arbitraryMesh(), { numRuns: RUNS });
const plans = meshes.map((mesh) => planMesh(mesh));

type Promised = (input: PlanInput, plan: Plan) => void;

/** All promises are held against the same meshes, which take longer to draw than to plan. What fails is then shrunk. */
function check(promised: Promised): void {
    try {
        meshes.forEach((mesh, i) => {
            holds(!plans[i]!.issues.some(({ code }) => Object.hasOwn(ARGUMENT_FINDINGS, code)), plans[i]!.issues);
            promised(mesh, plans[i]!);
        });
    } catch (error) {
        const property = fc.property(arbitraryMesh(), (mesh) => promised(mesh, planMesh(mesh)));
        fc.assert(property, { numRuns: RUNS });
        throw error;
    }
}

const VALID_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const targets = (plan: Plan) =>
    Object.entries(plan.peers).map(([target, peers]) => ({ target, peers: Object.entries(peers) }));

const clusterOf = (input: PlanInput, name: string | undefined): ClusterSpec =>
    input.clusters.find((cluster) => cluster.name === name)!;

/** Live peers of a target, told apart as ownership does it. */
function livePeersIn(input: PlanInput, target: string): { ours: readonly KubePeer[]; foreign: readonly KubePeer[] } {
    const claim = input.claims?.[target];
    const names = input.clusters.map(({ name }) => name);
    const linked = linkedPairs(names, input.topology)[target] ?? [];
    const live = input.livePeers?.[target] ?? [];
    const isOurs = ({ metadata }: KubePeer): boolean => {
        const labels = metadata?.labels ?? {};
        if (claim !== undefined && labels[CLAIM] === claim) return true;
        return input.adopt === true && labels[MESH] === input.mesh && linked.includes(labels[SOURCE] ?? "");
    };
    return { ours: live.filter(isOurs), foreign: live.filter((peer) => !isOurs(peer)) };
}

/** It has our name and key and nothing that says whose it is: its uid will tell. */
const mayBeOurs = ({ metadata, spec }: KubePeer, name: string, publicKey: string): boolean =>
    metadata?.name === name && spec?.publicKey === publicKey && Object.keys(metadata.labels ?? {}).length === 0;

/** What our peer of that name has in the target already: nobody who comes later takes it away. */
function heldBy({ ours, foreign }: ReturnType<typeof livePeersIn>, name: string, publicKey: string) {
    const held = ours.find(({ metadata }) => metadata?.name === name);
    return (held ?? foreign.find((peer) => mayBeOurs(peer, name, publicKey)))?.spec;
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

test("no network is on two peers of a target, and none overlaps a stranger's but what we held before", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const routed = peers.flatMap(([, { spec }]) => spec.allowedIPs);
            routed.forEach((a, i) => {
                for (const b of routed.slice(i + 1)) holds(!meets(a, b), a, "meets", b);
            });
            const live = livePeersIn(input, target);
            for (const [name, { spec }] of peers) {
                const held = heldBy(live, name, spec.publicKey)?.allowedIPs ?? [];
                const others = live.foreign.filter((peer) => !mayBeOurs(peer, name, spec.publicKey));
                const taken = others.flatMap((peer) => peer.spec?.allowedIPs ?? []);
                for (const a of spec.allowedIPs) {
                    for (const b of taken) holds(!meets(a, b) || held.includes(a), a, "meets foreign", b);
                }
            }
        }
    });
});

test("a key is on one peer of a target, and never that of a stranger or of the target's own node but what we held before", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const keys = peers.map(([, { spec }]) => spec.publicKey);
            holds(new Set(keys).size === keys.length, "a key twice", keys);
            const own = (input.nodes[target] ?? []).map(({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"]);
            const live = livePeersIn(input, target);
            for (const [name, { spec }] of peers) {
                const others = live.foreign.filter((peer) => !mayBeOurs(peer, name, spec.publicKey));
                const taken = [...own, ...others.map((peer) => peer.spec?.publicKey)];
                const isHeld = heldBy(live, name, spec.publicKey)?.publicKey === spec.publicKey;
                holds(isHeld || !taken.includes(spec.publicKey), "has key", spec.publicKey);
            }
        }
    });
});

test("names are valid, unique per segment and never a stranger's; labels say whose the peer is", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const { foreign } = livePeersIn(input, target);
            for (const [name, { labels, spec }] of peers) {
                holds(VALID_NAME.test(name), "invalid name", name);
                holds(name.length <= 253, "long name", name);
                const holder = foreign.find(({ metadata }) => metadata?.name === name);
                holds(holder === undefined || mayBeOurs(holder, name, spec.publicKey), "foreign name", name);
                holds(labels[CLAIM] === input.claims?.[target], "claim", labels);
                holds(labels["app.kubernetes.io/managed-by"] === "pulumi", "manager", labels);
                holds(labels[SOURCE] !== target, "its own source");
            }
        }
    });
});

test("no route leads to an endpoint of the same source and target, and a peer without endpoint is kept alive", () => {
    check((input, plan) => {
        for (const { target, peers } of targets(plan)) {
            const { ours } = livePeersIn(input, target);
            // what is kept as it was found may be anything that somebody wrote with our labels
            const isAsFound = (name: string): boolean =>
                ours.some(({ metadata, spec }) => metadata?.name === name && spec?.endpoint === undefined);
            for (const [name, { labels, spec }] of peers) {
                const ofSource = peers.filter(([, peer]) => peer.labels[SOURCE] === labels[SOURCE]);
                const hosts = ofSource.flatMap(([, peer]) => peer.spec.endpoint?.dnsOrIP.ip ?? []);
                const ip = spec.endpoint?.dnsOrIP.ip;
                const host = ip === undefined ? undefined : `${ip}/${ip.includes(":") ? 128 : 32}`;
                for (const cidr of spec.allowedIPs) {
                    if (host !== undefined) holds(!meets(cidr, host), cidr, "leads to its endpoint", host);
                    const { nodeCIDRs = [] } = clusterOf(input, labels[SOURCE]);
                    if (isInside(cidr, nodeCIDRs)) holds(!hosts.includes(cidr.split("/")[0]!), "loop", cidr);
                }
                if (spec.endpoint === undefined && !isAsFound(name)) {
                    holds((spec.persistentKeepalive ?? 0) > 0, "not kept alive");
                }
            }
        }
    });
});

const withoutObservations = (nodes: PlanInput["nodes"]): PlanInput["nodes"] =>
    Object.fromEntries(
        Object.entries(nodes).map(([name, list]) => [
            name,
            list.map((node) => {
                const { "kilo.squat.ai/discovered-endpoints": _, ...annotations } = node.metadata?.annotations ?? {};
                return { ...node, metadata: { ...node.metadata, annotations } };
            }),
        ]),
    );

/** The plan of the next run, when this one was written and every observation is forgotten. */
function nextPlan(input: PlanInput, { peers }: Plan): Plan {
    const livePeers = Object.fromEntries(
        Object.entries(peers).map(([target, planned]) => [
            target,
            [
                ...livePeersIn(input, target).foreign,
                ...Object.entries(planned).map(([name, { labels, annotations, spec }]) => ({
                    metadata: { name, labels, ...(annotations === undefined ? {} : { annotations }) },
                    spec,
                })),
            ],
        ]),
    );
    return planMesh({ ...input, livePeers, nodes: withoutObservations(input.nodes) });
}

const withClaims = (input: PlanInput): PlanInput => ({
    ...input,
    claims: Object.fromEntries(input.clusters.map(({ name }) => [name, `claim-${name}`])),
});

const isSame = (one: Plan, other: Plan): boolean => JSON.stringify(one.peers) === JSON.stringify(other.peers);

test("what was planned and written is planned again when every observation is forgotten: two runs never flap", () => {
    check((mesh) => {
        const input = withClaims(mesh);
        const first = planMesh(input);
        const second = nextPlan(input, first);
        holds(isSame(first, second), "flaps", second.peers, first.peers);
    });
});

test("where clusters contest each other's keys a run gives up no peer of the one before, and the one after it does nothing", () => {
    fc.assert(
        fc.property(arbitraryMesh({ contested: true }), (mesh) => {
            const input = withClaims(mesh);
            const first = planMesh(input);
            const second = nextPlan(input, first);
            for (const { target, peers } of targets(first)) {
                for (const [name] of peers) holds(Object.hasOwn(second.peers[target]!, name), "gives up", name);
            }
            // a key that its holder could not use any more is free for another node one run later
            const third = nextPlan(input, second);
            holds(isSame(second, third), "flaps", third.peers, second.peers);
        }),
        { numRuns: RUNS },
    );
});

test("planning with what was known before, while nobody is seen, is planning from the nodes", () => {
    check(({ now: _, livePeers: __, ...input }) => {
        const seen = { ...input, nodes: withoutObservations(input.nodes) };
        const plan = planMesh(seen);
        const silent = planMesh({ ...input, nodes: {}, lastKnown: plan.facts });
        holds(JSON.stringify(silent.peers) === JSON.stringify(plan.peers), "differs", silent.peers, plan.peers);
        holds(isDeepStrictEqual(silent.facts, plan.facts), "facts", silent.facts, plan.facts);
    });
});

test("where no peers are yet, what a target gets does not depend on which other targets there are", () => {
    check(({ livePeers: _, ...input }) => {
        const names = input.clusters.map(({ name }) => name);
        const together = planMesh(input);
        for (const [target, sources] of Object.entries(linkedPairs(names, input.topology))) {
            if (sources.length === 0) continue;
            const links = sources.map((source) => ({ a: target, b: source }));
            const alone = planMesh({ ...input, topology: { links } });
            holds(isDeepStrictEqual(together.peers[target], alone.peers[target]), target, together.peers, alone.peers);
            const [skipped, same] = [together, alone].map((plan) =>
                plan.skipped.filter((one) => one.target === target),
            );
            holds(isDeepStrictEqual(skipped, same), target, skipped, same);
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
