import { type DoubleMember, startDoubleWorld } from "./engine/double-world";
import type { MeshWorld } from "./engine/mesh-world";
import type { MiniEngine, Program } from "./engine/mini-engine";
import { asOfNow, type RecordedResource, type RecordedStack, readRecorded, reconnected } from "./recorded";

/** A recorded stack in the test engine, over API doubles that hold what its clusters held, uids and all. */
export interface Replay {
    readonly recorded: RecordedStack;
    readonly world: MeshWorld<DoubleMember>;
    readonly engine: MiniEngine;
    readonly program: Program;
}

const KINDS = {
    "pulumi-nodejs:dynamic/kilo-clustermesh:Member": "member",
    "pulumi-nodejs:dynamic/kilo-clustermesh:PeerSet": "peers",
} as const;

const isOurs = (resource: RecordedResource): resource is RecordedResource & { type: keyof typeof KINDS } =>
    resource.type in KINDS;

export async function replayRecorded(stack: string): Promise<Replay> {
    const recorded = readRecorded(stack);
    const { name, args } = recorded.mesh;
    const world = await startDoubleWorld(args.clusters.map((cluster) => cluster.name));
    const kubeconfigs = new Map(world.clusters.map((cluster) => [cluster.name, cluster.proxy.kubeconfig]));
    for (const { name: cluster, double } of world.clusters) {
        const { nodes, peers } = recorded.clusters[cluster]!;
        for (const node of nodes) double.putNode(asOfNow(node, recorded.recordedAt));
        for (const peer of peers) double.peers.restore(peer);
    }
    const engine = world.engine(ownerOf(recorded));
    for (const { type, id = "", inputs = {}, outputs = {} } of recorded.resources.filter(isOurs)) {
        const cluster = String(inputs.cluster);
        const kind = KINDS[type];
        engine.state.set(kind === "member" ? cluster : `${cluster}/peers`, {
            kind,
            id,
            inputs: reconnected(inputs, kubeconfigs.get(cluster)),
            outputs: reconnected(outputs, kubeconfigs.get(cluster)),
        });
    }
    const { clusters, ...settings } = args;
    const program = {
        mesh: name,
        clusters: clusters.map((spec) => ({ ...spec, kubeconfig: kubeconfigs.get(spec.name)! })),
        ...settings,
    };
    return { recorded, world, engine, program };
}

const ownerOf = ({ resources }: RecordedStack): string =>
    resources.map(({ outputs }) => outputs?.owner).find((owner): owner is string => typeof owner === "string") ?? "";
