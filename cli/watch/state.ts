/** How a run ended. `partial`: it failed, but nothing is left that it could have done: a member is silent or unusable. */
export const OUTCOMES = ["succeeded", "partial", "failed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface RunTally {
    readonly count: number;
    /** Of all of them together. */
    readonly seconds: number;
}

/** `waiting`: not heard of yet. */
export type MemberState = "waiting" | "seen" | "silent" | "unusable";

/** What a watcher knows at one moment: what its metrics and its health are made of. */
export interface WatchState {
    readonly mesh: string;
    /** In the order of the mesh file. */
    readonly members: readonly { readonly name: string; readonly state: MemberState; readonly staleNodes: number }[];
    /** By target; of one that is not seen, what is wanted there. */
    readonly targets: readonly {
        readonly name: string;
        readonly wanted: number;
        /** There and as wanted. */
        readonly present: number;
        /** There and not as wanted, or there and not wanted. */
        readonly drifted: number;
    }[];
    readonly tunnels: { readonly seen: number; readonly total: number };
    /** Since the oldest change that no run has taken in; 0 where there is none. */
    readonly secondsBehind: number;
    readonly isRunning: boolean;
    readonly runs: Readonly<Record<Outcome, RunTally>>;
    /** Unix seconds, of the last run that did all it could; absent before the first. */
    readonly lastSuccess?: number;
    /** Every member was heard of at least once, or found silent or unusable. */
    readonly isReady: boolean;
}
