import type { Worlds } from "../../support/engine/mesh-world";
import type { Step } from "./steps";
import type { Tally } from "./tally";
import { Walk } from "./walk";

export const CLUSTERS: readonly string[] = ["a", "b", "c"];

/** One whole walk in a world of its own. */
export async function wander(steps: readonly Step[], worlds: Worlds, tally: Tally, grouped = false): Promise<void> {
    const world = await worlds.open();
    try {
        const walk = new Walk(world.clusters, world.engine(), { nodes: 2, requestTimeout: 10, tally, grouped });
        await walk.start();
        for (const next of steps) {
            await walk.take(next);
            tally.add(next);
        }
        await walk.finish();
    } finally {
        await world.close();
    }
}
