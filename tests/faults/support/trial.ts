import { encodePeer } from "../../../provider/mesh/index";
import { claimOf, DoubleWorld, isOfMesh } from "../../support/engine/double-world";
import type { MiniEngine, Program } from "../../support/engine/mini-engine";
import { FAULTS, type Place, placesOf, SLOW, type Stubbornness, strike } from "./faults";
import { furnish, type Scenario } from "./scenarios";

const CLUSTERS = ["hub", "berlin"];
/** Seconds per request for faults that cost all of it; where a busy machine needs more to get there, the second. */
const TIMEOUTS = [1, 6] as const;

export interface Trial {
    readonly scenario: Scenario;
    readonly place: Place;
    readonly fault: string;
    readonly how: Stubbornness;
}

export const titleOf = ({ scenario, place, fault, how }: Trial): string =>
    `${scenario.name}: ${fault} ${how} at ${place.cluster} ${place.what} #${place.nth}`;

/** Every request of the scenario when nothing goes wrong. */
export async function survey(scenario: Scenario): Promise<Place[]> {
    const world = await DoubleWorld.start(CLUSTERS);
    try {
        furnish(world);
        const engine = world.engine();
        const program = world.program();
        await scenario.prepare(engine, program, world);
        for (const { proxy } of world.clusters) proxy.resetLog();
        await scenario.operate(engine, program);
        return world.clusters.flatMap(({ name, proxy }) => placesOf(name, proxy.requests));
    } finally {
        await world.close();
    }
}

export interface Finding {
    readonly trial: string;
    /** Empty when everything that must hold did. */
    readonly broken: readonly string[];
    readonly struck: boolean;
    /** The run with the fault ended well all the same. */
    readonly absorbed: boolean;
}

/** Runs the scenario with one fault, then without, and says what did not hold. */
export async function attempt(trial: Trial): Promise<Finding> {
    const finding = await attemptWithin(trial, TIMEOUTS[0]);
    return finding.struck || finding.broken.length > 0 ? finding : attemptWithin(trial, TIMEOUTS[1]);
}

async function attemptWithin(trial: Trial, timeout: number): Promise<Finding> {
    const { scenario, place, fault, how } = trial;
    const world = await DoubleWorld.start(CLUSTERS);
    const broken: string[] = [];
    const demand = (holds: boolean, what: string): void => {
        if (!holds) broken.push(what);
    };
    try {
        furnish(world);
        const engine = world.engine();
        const program = world.program();
        await scenario.prepare(engine, program, world);
        const foreign = world.foreign();
        for (const { proxy } of world.clusters) proxy.resetLog();
        if (SLOW.has(fault)) world.timeout = timeout;
        strike(world.get(place.cluster).proxy, place, FAULTS[fault]!, how);
        const run = await scenario.operate(engine, program);
        world.calm();
        const struck = world.clusters.some(({ proxy }) => proxy.requests.some((request) => request.fault));
        demandOwned(world, engine, demand);

        if (scenario.name === "destroy") await demandGone(world, engine, demand);
        else {
            await demandConverged(world, engine, program, demand);
            await demandGone(world, engine, demand);
        }
        demand(world.foreign() === foreign, "a foreign peer was touched");
        for (const violation of world.violations()) broken.push(violation);
        return { trial: titleOf(trial), broken, struck, absorbed: run.failures.length === 0 };
    } finally {
        await world.close();
    }
}

type Demand = (holds: boolean, what: string) => void;

/** Nothing of ours is outside the claims that the state knows. */
export function demandOwned(world: DoubleWorld, engine: MiniEngine, demand: Demand): void {
    const claims = engine.claims();
    for (const { name, double } of world.clusters) {
        for (const peer of double.peers.all().filter(isOfMesh)) {
            demand(claimOf(peer) === claims[name], `${name}/${peer.metadata.name} is nobody's`);
        }
    }
}

/** The next up comes to exactly the plan, and the one after that does nothing. */
export async function demandConverged(
    world: DoubleWorld,
    engine: MiniEngine,
    program: Program,
    demand: Demand,
): Promise<void> {
    const next = await engine.up(program);
    demand(next.failures.length === 0, `the next up failed: ${next.failures.join("; ")}`);
    const { peers } = world.expected(program, engine.claims());
    const planned = Object.fromEntries(
        Object.entries(peers).map(([target, wanted]) => [
            target,
            Object.fromEntries(Object.entries(wanted).map(([name, peer]) => [name, encodePeer(peer)])),
        ]),
    );
    const lines = world.lines(isOfMesh);
    demand(same(lines, planned), `the next up came to ${JSON.stringify(lines)}, not to ${JSON.stringify(planned)}`);
    const events = world.clusters.map(({ double }) => double.events.length).join();
    const idle = await engine.up(program);
    demand(idle.changes.length === 0, `the up after that was not idle: ${idle.changes.join(", ")}`);
    demand(world.clusters.map(({ double }) => double.events.length).join() === events, "the up after that wrote");
}

async function demandGone(world: DoubleWorld, engine: MiniEngine, demand: Demand): Promise<void> {
    const { failures } = await engine.destroy();
    demand(failures.length === 0, `destroy failed: ${failures.join("; ")}`);
    demand(engine.state.size === 0, "destroy left resources in the state");
    const left = JSON.stringify(world.lines(isOfMesh));
    demand(left === JSON.stringify(Object.fromEntries(CLUSTERS.map((name) => [name, {}]))), `destroy left ${left}`);
}

const sorted = (bag: object): unknown =>
    Object.fromEntries(
        Object.entries(bag)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => [key, typeof value === "object" ? sorted(value as object) : value]),
    );

const same = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
