import type { Gauge, Registry } from "prom-client";
import { MEMBER_STATES, type MeshCounts } from "./mesh-counts";
import { MESH_METRICS } from "./names";

/** Loaded by what prints metrics alone: every other command starts without it. */
export const promClient = (): typeof import("./prom-client") => require("./prom-client");

/** Gauges for the numbers of a mesh; the function sets them. */
export function meshGauges(registry: Registry): (counts: MeshCounts) => void {
    const { Gauge } = promClient();
    const gauge = ({ name, help, labels }: (typeof MESH_METRICS)[keyof typeof MESH_METRICS]): Gauge =>
        new Gauge({ name, help, labelNames: labels, registers: [registry] });
    const memberState = gauge(MESH_METRICS.memberState);
    const staleNodes = gauge(MESH_METRICS.staleNodes);
    const wanted = gauge(MESH_METRICS.peersWanted);
    const present = gauge(MESH_METRICS.peersPresent);
    const drifted = gauge(MESH_METRICS.peersDrifted);
    const tunnels = gauge(MESH_METRICS.tunnels);
    const tunnelsSeen = gauge(MESH_METRICS.tunnelsSeen);
    return ({ mesh, members, targets, tunnels: counted }) => {
        // A member that has left the mesh leaves no series behind.
        for (const each of [memberState, staleNodes, wanted, present, drifted]) each.reset();
        const isSeen = new Set(members.flatMap(({ name, state }) => (state === "seen" ? name : [])));
        for (const { name: cluster, state, staleNodes: stale } of members) {
            for (const each of MEMBER_STATES) {
                memberState.set({ mesh, cluster, state: each }, each === state ? 1 : 0);
            }
            if (isSeen.has(cluster)) staleNodes.set({ mesh, cluster }, stale);
        }
        for (const target of targets) {
            const labels = { mesh, cluster: target.name };
            wanted.set(labels, target.wanted);
            if (!isSeen.has(target.name)) continue;
            present.set(labels, target.present);
            drifted.set(labels, target.drifted);
        }
        tunnels.set({ mesh }, counted.total);
        tunnelsSeen.set({ mesh }, counted.seen);
    };
}

/** The numbers of one look, in the text format of Prometheus. */
export async function prometheusText(counts: MeshCounts): Promise<string> {
    const registry = new (promClient().Registry)();
    meshGauges(registry)(counts);
    return registry.metrics();
}
