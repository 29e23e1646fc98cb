import type { Worlds } from "../../support/engine/mesh-world";
import { demandConverged, demandGone, demandOwned } from "./demands";
import { furnish, SCENARIOS, type Scenario } from "./scenarios";

export const CRASH_SCENARIOS: readonly Scenario[] = SCENARIOS.filter(({ name }) => name !== "refresh");

export async function writesOf(scenario: Scenario, worlds: Worlds): Promise<number> {
    const world = await worlds.open();
    try {
        await furnish(world);
        const engine = world.engine();
        await scenario.prepare(engine, world.program(), world);
        for (const { proxy } of world.clusters) proxy.resetLog();
        await scenario.operate(engine, world.program());
        return world.clusters.flatMap(({ proxy }) => proxy.requests.filter(({ write }) => write)).length;
    } finally {
        await world.close();
    }
}

/** The process dies at the n-th write: that one is done or not, nothing after it is, and no answer reaches the state. */
export async function crashAt(
    scenario: Scenario,
    write: number,
    when: "before it is done" | "after it is done",
    worlds: Worlds,
): Promise<readonly string[]> {
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
        let writes = 0;
        for (const { proxy } of world.clusters) {
            proxy.inject({
                fault: { kind: when === "after it is done" ? "drop" : "reset" },
                when: (request) => {
                    if (!request.write || ++writes !== write) return false;
                    engine.crashed = true;
                    return true;
                },
            });
            proxy.inject({ fault: { kind: "reset" }, when: () => engine.crashed });
        }
        const { failures } = await scenario.operate(engine, program);
        demand(failures.includes("killed"), "it was not killed");
        world.calm();
        await demandOwned(world, engine, demand);
        // What a user does next: go on with what they wanted, or give it up.
        if (scenario.name !== "destroy") await demandConverged(world, engine, program, demand);
        await demandGone(world, engine, demand);
        demand((await world.foreign()) === foreign, "a foreign peer was touched");
        return [...broken, ...(await world.violations())];
    } finally {
        await world.close();
    }
}
