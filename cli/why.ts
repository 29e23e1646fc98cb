import type { RunResult } from "../provider/mesh/run";
import { segmentNames } from "../provider/mesh/segments/segment";
import type { MeshSpec, SkippedNode } from "../provider/mesh/types";
import type { Sight } from "./sight";

interface Placed {
    readonly name: string;
    readonly source: string;
    readonly target: string;
}

/** Why a peer stays as it is though nothing says what it should be: `run` found that its source or its node cannot be judged. */
export function keptPeers(
    mesh: string,
    { issues, facts }: RunResult,
    { clusters }: Sight,
): (peer: Placed) => string | undefined {
    const sources = new Set(issues.flatMap(({ code, path }) => (code === "SourceKept" ? path : [])));
    const held = new Map<string, string>();
    for (const { code, path } of issues) {
        if (code !== "PeerHeld") continue;
        const [cluster = "", ...rest] = path.split("/");
        const node = rest.join("/");
        const location = facts[cluster]?.find(({ name }) => name === node)?.location ?? "";
        for (const kind of [{ node }, { location }]) held.set(segmentNames(mesh, cluster, kind).name, node);
    }
    return ({ name, source, target }) => {
        const state = clusters[source]?.state;
        if (sources.has(`${target}/${source}`)) {
            return state === "seen" ? `${source} has no node that Kilo has set up` : `${source} is ${state}`;
        }
        const node = held.get(name);
        return node === undefined ? undefined : `facts of ${node} are missing or malformed`;
    };
}

/** Why a peer is not in the plan. */
export function whyExtra(
    { mesh, clusters }: MeshSpec,
    { name, source, target }: Placed,
    skipped: readonly SkippedNode[],
): string {
    if (!clusters.some((cluster) => cluster.name === source)) return `${source} is not in the mesh file`;
    const left = skipped.find(
        ({ cluster, node, target: where = target }) =>
            cluster === source && where === target && segmentNames(mesh, source, { node }).name === name,
    );
    return left === undefined ? `no node of ${source} needs it` : `its node is left out (${left.reason})`;
}
