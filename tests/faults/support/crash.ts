import type { Ground } from "../../support/engine/ground";
import type { Worlds } from "../../support/engine/mesh-world";
import type { MiniEngine } from "../../support/engine/mini-engine";
import { type Moment, ordeal, rehearse, type Scene } from "./ordeal";
import { SCENARIOS, type Scenario } from "./scenarios";

export const CRASH_SCENARIOS: readonly Scenario[] = SCENARIOS.filter(({ name }) => name !== "refresh");

export async function writesOf(scenario: Scenario, worlds: Worlds): Promise<number> {
    const rehearsed = await rehearse(scenario, worlds);
    return rehearsed.flatMap(({ requests }) => requests.filter(({ write }) => write)).length;
}

/** The process will die at that write: the write is done or not, nothing after it is, and no answer reaches the state. */
export function dieAt({ write, when }: Moment, grounds: readonly Ground[], engine: MiniEngine): void {
    let writes = 0;
    for (const { proxy } of grounds) {
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
}

export async function crashAt(scene: Scene, worlds: Worlds): Promise<readonly string[]> {
    const { scenario } = scene;
    const { broken } = await ordeal(scenario, worlds, async ({ world, engine, program }, demand) => {
        dieAt(scene, world.clusters, engine);
        const { failures } = await scenario.operate(engine, program);
        demand(failures.includes("killed"), "it was not killed");
    });
    return broken;
}
