import type { MemberCluster } from "../../support/engine/member-cluster";
import type { Worlds } from "../../support/engine/mesh-world";
import type { MiniEngine } from "../../support/engine/mini-engine";
import { type Moment, requestsOf, runWithFault, type Scene } from "./fault-run";
import { SCENARIOS, type Scenario } from "./scenarios";

export const CRASH_SCENARIOS: readonly Scenario[] = SCENARIOS.filter(({ name }) => name !== "refresh");

export async function writesOf(scenario: Scenario, worlds: Worlds): Promise<number> {
    const faultless = await requestsOf(scenario, worlds);
    return faultless.flatMap(({ requests }) => requests.filter(({ write }) => write)).length;
}

/** The process will die at that write: the write is done or not, nothing after it is, and no answer reaches the state. */
export function dieAt({ write, when }: Moment, members: readonly MemberCluster[], engine: MiniEngine): void {
    let writes = 0;
    for (const { proxy } of members) {
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
    const { broken } = await runWithFault(scenario, worlds, async ({ world, engine, program }, demand) => {
        dieAt(scene, world.clusters, engine);
        const { failures } = await scenario.operate(engine, program);
        demand(failures.includes("killed"), "it was not killed");
    });
    return broken;
}
