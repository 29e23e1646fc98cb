import type { Worlds } from "../../support/engine/mesh-world";
import { requestsOf, runWithFault } from "./fault-run";
import { FAULTS, injectAt, type Place, placesOf, SLOW, type Stubbornness } from "./faults";
import type { Scenario } from "./scenarios";

/** Seconds per request for faults that cost all of it; where a busy machine needs more to get there, the second. */
const TIMEOUTS = [1, 6] as const;

export interface Trial {
    readonly scenario: Scenario;
    readonly place: Place;
    readonly fault: string;
    readonly how: Stubbornness;
}

export const titleOf = ({ scenario, place, fault, how }: Trial): string =>
    `${scenario.name}: ${fault} ${how} at ${place.cluster} ${place.what} #${place.nth}`;

/** Every request of the scenario when nothing goes wrong. */
export async function survey(scenario: Scenario, worlds: Worlds): Promise<Place[]> {
    const faultless = await requestsOf(scenario, worlds);
    return faultless.flatMap(({ cluster, requests }) => placesOf(cluster, requests));
}

export interface Finding {
    readonly trial: string;
    /** Empty when everything that must hold did. */
    readonly broken: readonly string[];
    readonly hit: boolean;
    /** The run with the fault ended well all the same. */
    readonly absorbed: boolean;
}

/** Runs the scenario with one fault, then without, and says what did not hold. */
export async function attempt(trial: Trial, worlds: Worlds): Promise<Finding> {
    const finding = await attemptWithin(trial, worlds, TIMEOUTS[0]);
    return finding.hit || finding.broken.length > 0 ? finding : attemptWithin(trial, worlds, TIMEOUTS[1]);
}

async function attemptWithin(trial: Trial, worlds: Worlds, timeout: number): Promise<Finding> {
    const { scenario, place, fault, how } = trial;
    const { outcome, broken } = await runWithFault(scenario, worlds, async ({ world, engine, program }) => {
        if (SLOW.has(fault)) world.timeout = timeout;
        injectAt(world.get(place.cluster).proxy, place, FAULTS[fault]!, how);
        const { failures } = await scenario.operate(engine, program);
        const hit = world.clusters.some(({ proxy }) => proxy.requests.some((request) => request.fault));
        return { hit, absorbed: failures.length === 0 };
    });
    return { trial: titleOf(trial), broken, ...outcome };
}
