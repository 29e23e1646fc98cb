import type { RealGround, RealWorld, RealWorlds } from "../../support/engine/real-world";
import type { Blow } from "./blows";
import { type Moment, ordeal, type Scene } from "./ordeal";

export interface Strike extends Scene {
    readonly blow: Blow;
}

/** Hits the servers at one write of a run, brings them back, and says what did not hold. */
export async function strikeServers(strike: Strike, worlds: RealWorlds): Promise<readonly string[]> {
    const { scenario, blow } = strike;
    const { broken } = await ordeal(scenario, worlds, async ({ world, engine, program }, demand) => {
        const hit = at(strike, world, (ground) => blow.strike(world, ground));
        world.timeout = blow.timeout;
        await scenario.operate(engine, program);
        const struck = hit();
        if (struck === undefined) return demand(false, `there was no write ${strike.write}`);
        await struck.ended;
        await blow.heal(world, struck.ground);
    });
    return broken;
}

interface Hit {
    readonly ground: RealGround;
    readonly ended: Promise<void>;
}

/** Calls `strike` once, at that moment; the result says where that was. */
function at(
    { write, when }: Moment,
    { clusters }: RealWorld,
    strike: (ground: RealGround) => Promise<void>,
): () => Hit | undefined {
    let hit: Hit | undefined;
    let writes = 0;
    for (const ground of clusters) {
        const done = (): void => {
            hit = { ground, ended: strike(ground) };
        };
        ground.proxy.inject({
            fault: { kind: "drop", done },
            when: (request) => {
                if (!request.write || ++writes !== write) return false;
                if (when === "after it is done") return true;
                done();
                return false;
            },
        });
    }
    return () => hit;
}
