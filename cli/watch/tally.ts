import type { MeshSpec } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import { statusReport } from "../status/report";
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

type Counted = Pick<WatchState, "targets" | "tunnels"> & { readonly stale: ReadonlyMap<string, number> };

const NONE: RunTally = { count: 0, seconds: 0 };

export function openTally(): Tally {
    let assessed: Assessment | undefined;
    let counted: Counted | undefined;
    const runs: Record<Outcome, RunTally> = { succeeded: NONE, partial: NONE, failed: NONE };
    let lastSuccess: number | undefined;
    return {
        assess(assessment) {
            assessed = assessment;
            counted = undefined;
        },
        run(outcome, seconds, at) {
            runs[outcome] = { count: runs[outcome].count + 1, seconds: runs[outcome].seconds + seconds };
            if (outcome !== "failed") lastSuccess = at / 1000;
        },
        state({ mesh, views, isReady, isRunning, secondsBehind }) {
            // counted when somebody asks: in a large mesh it costs more than the plan
            counted ??= assessed === undefined ? NOTHING : countIn(assessed);
            const { targets, tunnels, stale } = counted;
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

const NOTHING: Counted = { targets: [], tunnels: { seen: 0, total: 0 }, stale: new Map() };

function countIn(assessment: Assessment): Counted {
    const { mesh, peers, sight } = assessment;
    const tunnels = statusReport(assessment).links.flatMap((link) => link.tunnels ?? []);
    return {
        targets: mesh.clusters.map(({ name }) => {
            const here = peers.filter(({ target }) => target === name);
            const inState = (...states: readonly string[]): number =>
                here.filter(({ state }) => states.includes(state)).length;
            return {
                name,
                wanted: here.filter(({ wanted }) => wanted !== undefined).length,
                present: inState("present", "moved", "kept"),
                drifted: inState("drifted", "extra"),
            };
        }),
        tunnels: {
            seen: tunnels.reduce((sum, { seen }) => sum + seen, 0),
            total: tunnels.reduce((sum, { total }) => sum + total, 0),
        },
        stale: new Map(
            Object.entries(sight.clusters).map(([name, cluster]) => [
                name,
                cluster.state === "seen" ? cluster.nodes.filter(({ stale }) => stale === true).length : 0,
            ]),
        ),
    };
}
