import { encodePeer } from "../../../provider/state/peer-text";
import { claimOf, isOfMesh } from "../../support/engine/member-cluster";
import type { MeshWorld } from "../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../support/engine/mini-engine";

export type Demand = (holds: boolean, what: string) => void;

/** Collects what was demanded and does not hold. */
export function demands(): { readonly broken: string[]; readonly demand: Demand } {
    const broken: string[] = [];
    const demand: Demand = (holds, what) => {
        if (!holds) broken.push(what);
    };
    return { broken, demand };
}

/** Nothing of ours is outside the claims that the state knows. */
export async function demandOwned(world: MeshWorld, engine: MiniEngine, demand: Demand): Promise<void> {
    const claims = engine.claims();
    for (const member of world.clusters) {
        for (const peer of (await member.peers()).filter(isOfMesh)) {
            demand(claimOf(peer) === claims[member.name], `${member.name}/${peer.metadata.name} is nobody's`);
        }
    }
}

/** The next up comes to exactly the plan, and the one after that does nothing. */
export async function demandConverged(
    world: MeshWorld,
    engine: MiniEngine,
    program: Program,
    demand: Demand,
): Promise<void> {
    const next = await engine.up(program);
    demand(next.failures.length === 0, `the next up failed: ${next.failures.join("; ")}`);
    const { peers } = await world.expected(program, engine.claims());
    const planned = Object.fromEntries(
        Object.entries(peers).map(([target, wanted]) => [
            target,
            Object.fromEntries(Object.entries(wanted).map(([name, peer]) => [name, encodePeer(peer)])),
        ]),
    );
    const lines = await world.lines();
    demand(same(lines, planned), `the next up came to ${JSON.stringify(lines)}, not to ${JSON.stringify(planned)}`);
    const before = await world.bytes();
    const idle = await engine.up(program);
    demand(idle.changes.length === 0, `the up after that was not idle: ${idle.changes.join(", ")}`);
    demand((await world.bytes()) === before, "the up after that wrote");
}

/** Destroy leaves nothing, neither in the state nor in a cluster. */
export async function demandGone(world: MeshWorld, engine: MiniEngine, demand: Demand): Promise<void> {
    const { failures } = await engine.destroy();
    demand(failures.length === 0, `destroy failed: ${failures.join("; ")}`);
    demand(engine.state.size === 0, "destroy left resources in the state");
    const left = Object.entries(await world.lines()).flatMap(([target, peers]) =>
        Object.keys(peers).map((name) => `${target}/${name}`),
    );
    demand(left.length === 0, `destroy left ${left.join(", ")}`);
}

const sorted = (bag: object): unknown =>
    Object.fromEntries(
        Object.entries(bag)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => [key, typeof value === "object" ? sorted(value as object) : value]),
    );

const same = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
