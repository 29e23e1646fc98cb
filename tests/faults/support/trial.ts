import type { Worlds } from "../../support/engine/mesh-world";
import { demandConverged, demandGone, demandOwned } from "./demands";
import { FAULTS, type Place, placesOf, SLOW, type Stubbornness, strike } from "./faults";
import { furnish, type Scenario } from "./scenarios";

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
    const world = await worlds.open();
    try {
        await furnish(world);
        const engine = world.engine();
        const program = world.program();
        await scenario.prepare(engine, program, world);
        for (const { proxy } of world.clusters) proxy.resetLog();
        await scenario.operate(engine, program);
        return world.clusters.flatMap(({ name, proxy }) => placesOf(name, proxy.requests));
    } finally {
        await world.close();
    }
}

export interface Finding {
    readonly trial: string;
    /** Empty when everything that must hold did. */
    readonly broken: readonly string[];
    readonly struck: boolean;
    /** The run with the fault ended well all the same. */
    readonly absorbed: boolean;
}

/** Runs the scenario with one fault, then without, and says what did not hold. */
export async function attempt(trial: Trial, worlds: Worlds): Promise<Finding> {
    const finding = await attemptWithin(trial, worlds, TIMEOUTS[0]);
    return finding.struck || finding.broken.length > 0 ? finding : attemptWithin(trial, worlds, TIMEOUTS[1]);
}

async function attemptWithin(trial: Trial, worlds: Worlds, timeout: number): Promise<Finding> {
    const { scenario, place, fault, how } = trial;
    const world = await worlds.open();
    const broken: string[] = [];
    const demand = (holds: boolean, what: string): void => {
        if (!holds) broken.push(what);
    };
    try {
        await furnish(world);
        const engine = world.engine();
        const program = world.program();
        await scenario.prepare(engine, program, world);
        const foreign = await world.foreign();
        for (const { proxy } of world.clusters) proxy.resetLog();
        if (SLOW.has(fault)) world.timeout = timeout;
        strike(world.get(place.cluster).proxy, place, FAULTS[fault]!, how);
        const run = await scenario.operate(engine, program);
        world.calm();
        const struck = world.clusters.some(({ proxy }) => proxy.requests.some((request) => request.fault));
        await demandOwned(world, engine, demand);

        if (scenario.name === "destroy") await demandGone(world, engine, demand);
        else {
            await demandConverged(world, engine, program, demand);
            await demandGone(world, engine, demand);
        }
        demand((await world.foreign()) === foreign, "a foreign peer was touched");
        for (const violation of await world.violations()) broken.push(violation);
        return { trial: titleOf(trial), broken, struck, absorbed: run.failures.length === 0 };
    } finally {
        await world.close();
    }
}
