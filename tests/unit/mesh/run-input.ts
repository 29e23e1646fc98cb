import { readObservations } from "../../../provider/kilo/observations";
import { readPeer } from "../../../provider/kilo/peer";
import { readNodes } from "../../../provider/kilo/read-nodes";
import { checkMesh } from "../../../provider/mesh/args/validate";
import type { RunInput } from "../../../provider/mesh/run";
import type { PlanInput } from "../../../provider/mesh/types";

/** What `planMesh` would give to `run`, from arguments and data that are good. */
export function runInput({ mesh, clusters, topology, adopt, ...given }: PlanInput): RunInput {
    const { networks } = checkMesh({ mesh, clusters }, { allowSingle: true }, new Set());
    return {
        mesh: {
            mesh,
            clusters,
            ...(topology === undefined ? {} : { topology }),
            ...(adopt === undefined ? {} : { adopt }),
        },
        networks,
        meshId: given.meshId,
        claims: given.claims ?? {},
        lastKnown: given.lastKnown ?? {},
        unresolvable: given.unresolvable ?? [],
        resolved: given.resolved ?? {},
        knowledge: Object.fromEntries(
            clusters.flatMap((cluster) => {
                const nodes = given.nodes[cluster.name];
                if (nodes === undefined) return [];
                const now = typeof given.now === "number" ? given.now : given.now?.[cluster.name];
                const peers = (given.livePeers?.[cluster.name] ?? []).flatMap((peer) => readPeer(peer) ?? []);
                const seen = { nodes: readNodes(nodes, cluster, now), peers, observed: readObservations(nodes) };
                return [[cluster.name, { state: "seen", ...seen }] as const];
            }),
        ),
    };
}
