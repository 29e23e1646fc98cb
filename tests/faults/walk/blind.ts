import { nodeSpecs } from "../../../tools/clusters/node-spec";
import fc from "../../support/chance";
import { isOfMesh, type MemberCluster } from "../../support/engine/member-cluster";
import type { MeshWorld } from "../../support/engine/mesh-world";
import type { MiniEngine, Program } from "../../support/engine/mini-engine";
import type { Fault } from "../../support/fault-proxy";

/** One thing that a run does not get to know. Numbers are taken modulo what there is. */
export type Blindness =
    | { readonly of: "cluster"; readonly at: number; readonly fault: Fault }
    | { readonly of: "node"; readonly at: number; readonly which: number; readonly lacks: keyof typeof LACKS };

const nothing = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`kilo.squat.ai/${name}`, null] as const));

/** What may be wrong with a node's annotations for a moment. */
const LACKS = {
    "all of Kilo's": nothing("key", "endpoint", "wireguard-ip", "granularity", "internal-ip", "last-seen"),
    "its key": nothing("key"),
    "a whole key": { "kilo.squat.ai/key": "torn" },
    "its endpoint": nothing("endpoint"),
    "a well-written endpoint": { "kilo.squat.ai/force-endpoint": "not an endpoint" },
    "its WireGuard address": { "kilo.squat.ai/wireguard-ip": "" },
    "a WireGuard address of its own": { "kilo.squat.ai/wireguard-ip": "100.64.0.1/16" },
    "its granularity": { "kilo.squat.ai/granularity": "?" },
} as const;

const number = fc.nat(7);
export const blindness: fc.Arbitrary<Blindness> = fc.oneof(
    fc.record({
        of: fc.constant("cluster" as const),
        at: number,
        fault: fc.constantFrom<Fault>(
            { kind: "reset" },
            { kind: "answer", status: 401 },
            { kind: "answer", status: 403 },
            { kind: "answer", status: 404 },
            { kind: "answer", status: 503 },
        ),
    }),
    {
        weight: 3,
        arbitrary: fc.record({
            of: fc.constant("node" as const),
            at: number,
            which: number,
            lacks: fc.constantFrom(...(Object.keys(LACKS) as (keyof typeof LACKS)[])),
        }),
    },
);

const NODES = 3;

const restore = async (member: MemberCluster): Promise<void> => {
    for (const spec of nodeSpecs(member, NODES)) await member.putNode(spec);
};

/** Networks by peer of ours, in every cluster; WireGuard addresses alone may come and go. */
async function routed(world: MeshWorld): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    for (const member of world.clusters) {
        for (const { metadata, spec } of (await member.peers()).filter(isOfMesh)) {
            const networks = (spec?.allowedIPs ?? []).filter((network) => !network.endsWith("/32"));
            found.set(`${member.name}/${metadata.name}`, networks);
        }
    }
    return found;
}

const isService = (network: string): boolean => network.startsWith("172.16.");

/** A mesh at rest, runs that know less, and the return of all knowledge. Says what was withdrawn without evidence. */
export async function goBlind(world: MeshWorld, rounds: readonly (readonly Blindness[])[]): Promise<void> {
    const engine: MiniEngine = world.engine();
    const program: Program = world.program();
    const demand = (holds: boolean, what: string): void => {
        if (!holds) throw new Error(what);
    };
    for (const member of world.clusters) await restore(member);
    await engine.up(program);
    for (const blind of rounds) {
        const before = await routed(world);
        for (const each of blind) await darken(world.clusters[each.at % world.clusters.length]!, each);
        const run = await engine.up(program);
        world.calm();
        const after = await routed(world);
        for (const [peer, networks] of before) {
            const now = after.get(peer);
            demand(now !== undefined, `${peer} is gone: ${JSON.stringify(blind)} ${run.failures.join("; ")}`);
            const lost = networks.filter((network) => !isService(network) && !now?.includes(network));
            demand(lost.length === 0, `${peer} lost ${lost.join()}: ${JSON.stringify(blind)}`);
        }
        const violations = await world.violations();
        demand(violations.length === 0, violations.join("; "));
        for (const member of world.clusters) await restore(member);
        const back = await engine.up(program);
        demand(back.failures.length === 0, `the run that knows all failed: ${back.failures.join("; ")}`);
        const idle = await engine.up(program);
        demand(idle.changes.length === 0, `the run after it was not idle: ${idle.changes.join(", ")}`);
    }
    const { failures } = await engine.destroy();
    demand(failures.length === 0, failures.join("; "));
}

async function darken(member: MemberCluster, blind: Blindness): Promise<void> {
    if (blind.of === "cluster") {
        member.proxy.inject({ fault: blind.fault, when: () => true });
        return;
    }
    const names = nodeSpecs(member, NODES).map(({ name }) => name);
    await member.annotate(names[blind.which % names.length]!, LACKS[blind.lacks]);
}
