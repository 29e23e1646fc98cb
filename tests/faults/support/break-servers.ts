import type { RealMember, RealWorld, RealWorlds } from "../../support/engine/real-world";
import { type Moment, runWithFault, type Scene } from "./fault-run";
import type { ServerFault } from "./server-faults";

export interface ServerFaultScene extends Scene {
    readonly fault: ServerFault;
}

/** Hits the servers at one write of a run, brings them back, and says what did not hold. */
export async function breakServers(scene: ServerFaultScene, worlds: RealWorlds): Promise<readonly string[]> {
    const { scenario, fault } = scene;
    const { broken } = await runWithFault(scenario, worlds, async ({ world, engine, program }, demand) => {
        const whereBroken = at(scene, world, (member) => fault.begin(world, member));
        world.timeout = fault.timeout;
        await scenario.operate(engine, program);
        const hit = whereBroken();
        if (hit === undefined) return demand(false, `there was no write ${scene.write}`);
        await hit.ended;
        await fault.end(world, hit.member);
    });
    return broken;
}

interface Hit {
    readonly member: RealMember;
    readonly ended: Promise<void>;
}

/** Calls `begin` once, at that moment; the result says where that was. */
function at(
    { write, when }: Moment,
    { clusters }: RealWorld,
    begin: (member: RealMember) => Promise<void>,
): () => Hit | undefined {
    let hit: Hit | undefined;
    let writes = 0;
    for (const member of clusters) {
        const done = (): void => {
            hit = { member, ended: begin(member) };
        };
        member.proxy.inject({
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
