import { crash } from "../../support/crash-server";
import type { RealGround, RealWorld } from "../../support/engine/real-world";

/** What happens to the servers of a world at a write, and what is done so that the next run can go on. */
export interface Blow {
    readonly name: string;
    /** Seconds per request of the run that is hit; default: what the program says. */
    readonly timeout?: number;
    /** At the write, which `ground` has not seen yet, or has done without anybody having heard. */
    strike(world: RealWorld, ground: RealGround): Promise<void>;
    /** After the run. */
    heal(world: RealWorld, ground: RealGround): Promise<void>;
}

export const KILLED: Blow = {
    name: "an API server is killed and starts again",
    strike: (_, { cluster }) => crash(cluster),
    heal: async () => undefined,
};

/** What it was asked meanwhile is done when it wakes up: late, and for nobody. */
export const FROZEN: Blow = {
    name: "an API server is frozen for longer than the deadline",
    timeout: 1,
    strike: async (_, { cluster }) => cluster.suspend(),
    heal: async (_, { cluster }) => cluster.resume(),
};

export const WITHOUT_DATABASE: Blow = {
    name: "etcd is killed and starts again",
    timeout: 3,
    strike: ({ database }) => crash(database),
    heal: async ({ clusters }) => {
        for (const ground of clusters) await answering(ground);
    },
};

/** An API server takes a while to find its database again. */
async function answering(ground: RealGround): Promise<void> {
    for (let round = 0; round < 600; round++) {
        try {
            await ground.peers();
            await ground.cluster.request("GET", "/readyz");
            return;
        } catch {
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }
    throw new Error(`${ground.name} does not answer any more`);
}
