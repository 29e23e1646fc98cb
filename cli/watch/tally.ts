import type { MeshSpec } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import { countMesh, type MeshCounts } from "../metrics/mesh-counts";
import type { Outcome, RunTally, WatchState } from "./state";
import type { MemberView } from "./view";

export interface Now {
    readonly mesh: MeshSpec;
    readonly views: ReadonlyMap<string, MemberView>;
    readonly isReady: boolean;
    readonly isRunning: boolean;
    readonly secondsBehind: number;
}

/** Counts what the state of a watcher tells. */
export interface Tally {
    assess(assessment: Assessment): void;
    /** `at`: milliseconds since the epoch. */
    run(outcome: Outcome, seconds: number, at: number): void;
    state(now: Now): WatchState;
}

type Counted = Omit<MeshCounts, "mesh">;

const NONE: RunTally = { count: 0, seconds: 0 };

export function openTally(): Tally {
    let assessed: Assessment | undefined;
    let counted: Counted | undefined;
    const runs: Record<Outcome, RunTally> = { succeeded: NONE, partial: NONE, failed: NONE };
    let lastSuccess: number | undefined;
    return {
        assess(assessment) {
            assessed = assessment;
        },
        run(outcome, seconds, at) {
            runs[outcome] = { count: runs[outcome].count + 1, seconds: runs[outcome].seconds + seconds };
            if (outcome !== "failed") lastSuccess = at / 1000;
        },
        state({ mesh, views, isReady, isRunning, secondsBehind }) {
            // counted when somebody asks: in a large mesh it costs more than the plan
            if (assessed !== undefined) counted = countMesh(assessed);
            assessed = undefined;
            counted ??= NOTHING;
            const { targets, tunnels } = counted;
            const stale = new Map(counted.members.map((member) => [member.name, member.staleNodes]));
            return {
                mesh: mesh.mesh,
                members: mesh.clusters.map(({ name }) => ({
                    name,
                    state: views.get(name)?.state ?? "waiting",
                    staleNodes: stale.get(name) ?? 0,
                })),
                targets,
                tunnels,
                secondsBehind,
                isRunning,
                runs: { ...runs },
                ...(lastSuccess === undefined ? {} : { lastSuccess }),
                isReady,
            };
        },
    };
}

const NOTHING: Counted = { targets: [], tunnels: { seen: 0, total: 0 }, members: [] };
