import type { MeshWorld, Worlds } from "../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../support/engine/mini-engine";
import type { LoggedRequest } from "../../support/fault-proxy";
import type { Declaration } from "../../support/kilo-model/declaration";
import { type Demand, demandConverged, demandGone, demandOwned, demands } from "./demands";
import { FollowedRuns } from "./followed-runs";
import { fillWorld, type Scenario } from "./scenarios";

/** A write of a run, counted from 1 over all clusters, and whether it is done when something happens. */
export interface Moment {
    readonly write: number;
    readonly when: "before it is done" | "after it is done";
}

/** What is played when something happens. */
export interface Scene extends Moment {
    readonly scenario: Scenario;
}

/** A clean world in which the operation of a scenario is about to start. */
export interface Stage<W extends MeshWorld = MeshWorld> {
    readonly world: W;
    readonly engine: MiniEngine;
    readonly program: Program;
}

/** Sets the stage, with empty logs, and gives the world back whatever happens on it. */
async function onStage<W extends MeshWorld, T>(
    scenario: Scenario,
    worlds: Worlds<W>,
    play: (stage: Stage<W>) => Promise<T>,
): Promise<T> {
    const world = await worlds.open();
    try {
        await fillWorld(world);
        const engine = world.engine();
        const program = world.program();
        await scenario.prepare(engine, program, world);
        for (const { proxy } of world.clusters) proxy.resetLog();
        return await play({ world, engine, program });
    } finally {
        await world.close();
    }
}

/** The requests to each cluster when nothing goes wrong. */
export function requestsOf(
    scenario: Scenario,
    worlds: Worlds,
): Promise<{ readonly cluster: string; readonly requests: readonly LoggedRequest[] }[]> {
    return onStage(scenario, worlds, async ({ world, engine, program }) => {
        await scenario.operate(engine, program);
        return world.clusters.map(({ name, proxy }) => ({ cluster: name, requests: proxy.requests }));
    });
}

/** `faulted` runs the operation and lets something happen to it; then come runs without faults, and what did not hold. */
export function runWithFault<W extends MeshWorld, T>(
    scenario: Scenario,
    worlds: Worlds<W>,
    faulted: (stage: Stage<W>, demand: Demand) => Promise<T>,
): Promise<{ readonly outcome: T; readonly broken: readonly string[] }> {
    return onStage(scenario, worlds, async (stage) => {
        const { world, engine, program } = stage;
        const { broken, demand } = demands();
        const foreign = await world.foreign();
        const runs = new FollowedRuns(world, demand);
        const wanted: Declaration = { links: scenario.name === "destroy" ? [] : "all" };
        const outcome = await runs.during(wanted, () => faulted(stage, demand));
        world.calm();
        await demandOwned(world, engine, demand);
        // What a user does next: go on with what they wanted, or give it up.
        if (scenario.name !== "destroy") {
            await runs.during(wanted, () => demandConverged(world, engine, program, demand));
            await runs.asDeclared();
        }
        await demandGone(world, engine, demand);
        demand((await world.foreign()) === foreign, "a foreign peer was touched");
        return { outcome, broken: [...broken, ...(await world.violations())] };
    });
}
