import type { Source } from "../segments/sources";
import { isCrowded } from "./admit";
import { planTarget, type TargetPlan } from "./plan-target";
import type { Target } from "./target";

export type TargetPlanner = (target: Target, sources: readonly Source[]) => TargetPlan;

/**
 * Plans targets one by one. Where a target has no say in the peers it gets, a source has the same ones as in every other such
 * target, and these are planned once: in a new mesh that is most of them.
 */
export function targetPlanner(): TargetPlanner {
    const usual = new Map<Source, TargetPlan>();
    return (target, sources) => {
        if (hasSay(target) || sources.some(({ built }) => built.hasOddNames)) return planTarget(target, sources);
        return joined(
            sources.map((source) => {
                const { cluster } = source;
                const isUsual = cluster.nodeRange === undefined && !isCrowded(cluster, target);
                const plan = (isUsual ? usual.get(source) : undefined) ?? planTarget(target, [source]);
                if (isUsual) usual.set(source, plan);
                return plan;
            }),
        );
    };
}

/** Something but its own networks may decide which peers it gets. */
const hasSay = ({ cluster, live, observed, unresolvable, isContested }: Target): boolean =>
    cluster.accepted !== undefined ||
    live.ours.size + live.foreign.size > 0 ||
    observed.size > 0 ||
    unresolvable.size > 0 ||
    isContested;

const joined = (plans: readonly TargetPlan[]): TargetPlan => ({
    peers: new Map(plans.flatMap(({ peers }) => [...peers])),
    bytes: plans.reduce((sum, { bytes }) => sum + bytes, 0),
    skipped: plans.flatMap(({ skipped }) => skipped),
    issues: plans.flatMap(({ issues }) => issues),
    strangers: plans.flatMap(({ strangers }) => strangers),
    unclaimed: plans.flatMap(({ unclaimed }) => unclaimed),
    unsettled: plans.flatMap(({ unsettled }) => unsettled),
});
