import { endpointNames } from "../../provider/kilo/endpoint";
import type { Clock } from "../../provider/kube/http/clock";
import { driftOf } from "../../provider/mesh/drift";
import type { MeshSpec } from "../../provider/mesh/types";
import type { Observation } from "../../provider/observe/observe-clusters";
import { type ResolvedNames, resolveNames } from "../../provider/observe/resolve-names";
import { type Assessment, assess } from "../assess";
import { type ClusterSight, sightOf } from "../sight";
import type { StackRecord } from "../stack/read-stack";
import type { MemberView } from "./view";

/** How long an answer of the DNS counts. */
const NAMES_MILLISECONDS = 60_000;

export interface Evaluator {
    /** The mesh as the views have it now, with the plan for it. */
    evaluate(
        mesh: MeshSpec,
        record: StackRecord | undefined,
        views: ReadonlyMap<string, MemberView>,
    ): Promise<Assessment>;
}

export function openEvaluator(clock: Clock, timeoutSeconds: (mesh: MeshSpec) => number): Evaluator {
    let names: { readonly key: string; readonly at: number; readonly found: ResolvedNames } | undefined;

    const resolved = async (wanted: readonly string[], mesh: MeshSpec): Promise<ResolvedNames> => {
        const key = wanted.join(" ");
        if (names?.key === key && clock.now() - names.at < NAMES_MILLISECONDS) return names.found;
        const found = await resolveNames(wanted, { timeoutSeconds: timeoutSeconds(mesh) });
        names = { key, at: clock.now(), found };
        return found;
    };

    return {
        async evaluate(mesh, record, views) {
            const now = clock.now();
            const clusters: Record<string, ClusterSight> = {};
            for (const spec of mesh.clusters) {
                clusters[spec.name] = sightOf(spec, views.get(spec.name)?.observation(now) ?? NOT_HEARD);
            }
            const seen = Object.values(clusters).flatMap((each) =>
                each.state === "seen" ? endpointNames(each.nodes) : [],
            );
            const { unresolvable, addresses } = await resolved([...new Set(seen)].sort(), mesh);
            return assess(mesh, { clusters, unresolvable, resolved: addresses, permissions: {} }, record);
        },
    };
}

const NOT_HEARD: Observation = {
    ok: false,
    state: "silent",
    kind: "unreachable",
    message: "nothing was heard of it yet",
    fix: "Wait for its answer",
};

/** Where the peers in clusters that are seen are not what the plan wants: what a run would change, sorted. */
export const differences = ({ plan }: Assessment): readonly string[] =>
    Object.entries(plan.targets)
        .flatMap(([target, found]) => driftOf(found).map(({ name, kind }) => `${target}/${name} ${kind}`))
        .sort();
