import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { Plan } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { arbitraryMesh, holds, isInside, RUNS } from "./arbitrary-mesh";

const SOURCE = "kilo-clustermesh.io/source-cluster";
const targets = (plan: Plan) =>
    Object.entries(plan.peers).map(([target, peers]) => ({ target, peers: Object.entries(peers) }));

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
            const cluster = input.clusters.find(({ name }) => name === gone.cluster)!;
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
