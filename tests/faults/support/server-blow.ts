import type { RealGround, RealWorld, RealWorlds } from "../../support/engine/real-world";
import type { Blow } from "./blows";
import { demandConverged, demandGone, demandOwned } from "./demands";
import { furnish, type Scenario } from "./scenarios";

export interface Strike {
    readonly scenario: Scenario;
    readonly blow: Blow;
    /** Of the run, from 1. */
    readonly write: number;
    readonly when: "before it is done" | "after it is done";
}

/** Hits the servers at one write of a run, brings them back, and says what did not hold. */
export async function strikeServers({ scenario, blow, write, when }: Strike, worlds: RealWorlds): Promise<string[]> {
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
        const hit = atWrite(world, write, when, (ground) => blow.strike(world, ground));
        world.timeout = blow.timeout;
        await scenario.operate(engine, program);
        const { ground, ended } = hit() ?? {};
        if (ground === undefined) return [`there was no write ${write}`];
        await ended;
        await blow.heal(world, ground);
        world.calm();
        await demandOwned(world, engine, demand);
        if (scenario.name !== "destroy") await demandConverged(world, engine, program, demand);
        await demandGone(world, engine, demand);
        demand((await world.foreign()) === foreign, "a foreign peer was touched");
        return [...broken, ...(await world.violations())];
    } finally {
        await world.close();
    }
}

interface Hit {
    readonly ground: RealGround;
    readonly ended: Promise<void>;
}

/** Calls `strike` once, at the n-th write over all clusters; the result says where that was. */
function atWrite(
    { clusters }: RealWorld,
    write: number,
    when: Strike["when"],
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
