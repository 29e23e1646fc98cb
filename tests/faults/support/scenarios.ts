import { publicKey } from "../../../tools/clusters/node-spec";
import type { MemberCluster } from "../../support/engine/member-cluster";
import type { MeshWorld } from "../../support/engine/mesh-world";
import type { MiniEngine, Program, Run } from "../../support/engine/mini-engine";
import { key } from "../../support/keys";

export interface Scenario {
    readonly name: string;
    /** Brings the stack to where the operation starts. */
    prepare(engine: MiniEngine, program: Program, world: MeshWorld): Promise<void>;
    operate(engine: MiniEngine, program: Program): Promise<Run>;
}

/**
 * Two clusters of two nodes, and in each a peer that is not ours. That of the second has no endpoint: while it exists
 * our peers there are changed by delete and create (docs/kilo.md: a peer without endpoint hides changes), and in the
 * first by a patch.
 */
export async function fillWorld({ clusters }: MeshWorld): Promise<void> {
    for (const [at, member] of clusters.entries()) {
        for (const n of [1, 2]) await member.putNode({ name: `${member.name}-n${n}` });
        await member.createPeer("road-warrior", {
            publicKey: key(900 + at),
            allowedIPs: ["10.250.0.1/32"],
            persistentKeepalive: 25,
            ...(at === 0 ? { endpoint: { dnsOrIP: { ip: "203.0.113.200" }, port: 51820 } } : {}),
        });
    }
}

/** Two nodes change places, a key changes, a node goes and a new one takes its network. */
async function change({ clusters }: MeshWorld): Promise<void> {
    const [first, second] = clusters as [MemberCluster, MemberCluster];
    await first.putNode({ name: `${first.name}-n1`, podCIDRs: [`10.${16 + first.index}.2.0/24`] });
    await first.putNode({ name: `${first.name}-n2`, podCIDRs: [`10.${16 + first.index}.1.0/24`] });
    await second.putNode({ name: `${second.name}-n1`, key: publicKey(second.name, "renewed") });
    await second.deleteNode(`${second.name}-n2`);
    await second.putNode({ name: `${second.name}-n3`, podCIDRs: [`10.${16 + second.index}.2.0/24`] });
}

const meshed = async (engine: MiniEngine, program: Program): Promise<void> => {
    const { failures } = await engine.up(program);
    if (failures.length > 0) throw new Error(failures.join("; "));
};

export const SCENARIOS: readonly Scenario[] = [
    { name: "first up", prepare: async () => undefined, operate: (engine, program) => engine.up(program) },
    {
        name: "changing up",
        prepare: async (engine, program, world) => {
            await meshed(engine, program);
            await change(world);
        },
        operate: (engine, program) => engine.up(program),
    },
    { name: "refresh", prepare: meshed, operate: (engine) => engine.refresh() },
    { name: "destroy", prepare: meshed, operate: (engine) => engine.destroy() },
];
