import { type NodeSpec, publicKey } from "../../../tools/clusters";
import { DataPlane } from "../../support/kilo-model/data-plane";
import { linksOf } from "../../support/kilo-model/declaration";
import { judge } from "../../support/kilo-model/judge";
import type { ClusterObjects, NodeObject } from "../../support/kilo-model/objects";
import { type PeerWatch, watchPeers } from "../../support/watch-peers";
import type { Project } from "../support/project";
import { meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(300_000);

const MEMBERS = ["hub", "berlin", "tokyo"];
const ALL = [...MEMBERS, "oslo"];
const HOURS_AGO = Math.floor(Date.now() / 1000) - 7_200;

let world: World;
let project: Project;
const watches = new Map<string, PeerWatch>();

beforeAll(async () => {
    world = await startWorld(ALL);
    for (const name of ALL) watches.set(name, await watchPeers(world.get(name).adminKubeconfig));
});

afterAll(async () => {
    for (const watch of watches.values()) await watch.stop();
    await world?.stop();
});

async function objects(): Promise<Record<string, ClusterObjects>> {
    const all = ALL.map(async (name) => {
        const cluster = world.get(name);
        const { items } = await cluster.request<{ items: NodeObject[] }>("GET", "/api/v1/nodes");
        return [name, { nodes: items, peers: await cluster.listPeers() }] as const;
    });
    return Object.fromEntries(await Promise.all(all));
}

async function up(members: readonly string[]): Promise<void> {
    const mesh = meshOf(
        "edge",
        members.map((name) => world.get(name)),
    );
    await project.write(mesh);
    const { code, text } = await project.up();
    if (code !== 0) throw new Error(text);
}

interface Scene {
    /** Nodes as they are before the first `up`, besides the three that each cluster has. */
    readonly nodes?: Readonly<Record<string, readonly NodeSpec[]>>;
    readonly change?: () => Promise<unknown>;
    /** Members afterwards. */
    readonly members?: readonly string[];
}

/** Writes to each target that gets any, and how often each of its nodes with tunnels is then reconfigured. */
type Cost = Readonly<Record<string, readonly [writes: number, reconfigurations: number]>>;

/** Meshes three clusters, lets something change, and follows the writes of the next `up` by the model. */
async function costOf({ nodes = {}, change, members = MEMBERS }: Scene): Promise<Cost> {
    await world.reset();
    for (const [name, specs] of Object.entries(nodes)) await world.get(name).putNodes(specs);
    project = await world.project();
    await up(MEMBERS);
    const before = await objects();
    expect(judge({ clusters: before, declaration: { links: linksOf(MEMBERS) } })).toEqual([]);
    for (const watch of watches.values()) await watch.settle();
    const seen = new Map([...watches].map(([name, { events }]) => [name, events.length]));

    await change?.();
    const plane = new DataPlane(before);
    plane.exchangeAll();
    follow(plane, before, await objects());
    const start = Object.fromEntries(ALL.map((name) => [name, plane.reconfigurations(name)]));

    await up(members);
    const cost: Record<string, readonly [number, number]> = {};
    for (const [name, watch] of watches) {
        await watch.settle();
        const written = watch.events.slice(seen.get(name));
        for (const event of written) plane.apply(name, event);
        const counts = Object.entries(plane.reconfigurations(name)).map(([node, n]) => n - (start[name]![node] ?? 0));
        if (written.length > 0) cost[name] = [written.length, Math.max(...counts)];
    }
    for (const name of ALL) plane.resync(name);
    const clusters = await objects();
    expect(judge({ clusters, declaration: { links: linksOf(members) }, model: plane })).toEqual([]);
    return cost;
}

/** Kilo sees the changed nodes at once. */
function follow(plane: DataPlane, before: Record<string, ClusterObjects>, after: Record<string, ClusterObjects>): void {
    const nameOf = ({ metadata }: NodeObject): string => metadata?.name ?? "";
    for (const [name, { nodes }] of Object.entries(after)) {
        const names = new Set(nodes.map(nameOf));
        for (const node of before[name]!.nodes) if (!names.has(nameOf(node))) plane.removeNode(name, nameOf(node));
        for (const node of nodes) plane.setNode(name, node);
    }
}

const located = (leader: number): readonly NodeSpec[] =>
    [1, 2, 3].map((index) => ({
        name: `berlin-n${index}`,
        index,
        granularity: "location",
        location: "eu",
        leader: index === leader,
    }));

test("a node that joins costs each other cluster one write and its nodes one reconfiguration", async () => {
    const change = () => world.get("tokyo").putNode({ name: "tokyo-n4", index: 4 });
    expect(await costOf({ change })).toEqual({ hub: [1, 1], berlin: [1, 1] });
});

test("a node that leaves costs each other cluster one write and its nodes one reconfiguration", async () => {
    const change = () => world.get("tokyo").deleteNode("tokyo-n3");
    expect(await costOf({ change })).toEqual({ hub: [1, 1], berlin: [1, 1] });
});

test("a new key costs each other cluster one write and its nodes one reconfiguration", async () => {
    const key = publicKey("berlin", "another");
    const change = () => world.get("berlin").putNode({ name: "berlin-n2", index: 2, key });
    expect(await costOf({ change })).toEqual({ hub: [1, 1], tokyo: [1, 1] });
});

test("a leader that moves costs each other cluster one write and its nodes one reconfiguration", async () => {
    const change = () => world.get("berlin").putNodes(located(2));
    expect(await costOf({ nodes: { berlin: located(1) }, change })).toEqual({ hub: [1, 1], tokyo: [1, 1] });
});

test("a cluster that joins costs each other one write and one reconfiguration per node of it", async () => {
    expect(await costOf({ members: ALL })).toEqual({ hub: [3, 3], berlin: [3, 3], tokyo: [3, 3], oslo: [9, 9] });
});

test("a cluster that leaves costs each other one write and one reconfiguration per node of it", async () => {
    expect(await costOf({ members: ["hub", "berlin"] })).toEqual({ hub: [3, 3], berlin: [3, 3], tokyo: [6, 6] });
});

test("a service range that moves to another node costs each other cluster two writes, and no other peer is touched", async () => {
    const change = () => world.get("berlin").putNode({ name: "berlin-n1", index: 1, lastSeen: HOURS_AGO });
    expect(await costOf({ change })).toEqual({ hub: [2, 2], tokyo: [2, 2] });
});

test("an endpoint that a cluster has observed costs that cluster one write", async () => {
    const seen = { [publicKey("berlin", "berlin-n1")]: { IP: "10.129.0.1", Port: 51820 } };
    const change = () => world.get("hub").putNode({ name: "hub-n1", index: 1, discovered: seen });
    expect(await costOf({ change })).toEqual({ hub: [1, 1] });
});

test("a label that was removed by hand is restored with one write, and no node is reconfigured", async () => {
    const labels = { "kilo-clustermesh.io/source-cluster": null };
    const change = () => world.get("hub").patchPeer("edge--berlin--berlin-n1", { metadata: { labels } });
    const byHand = 1;
    expect(await costOf({ change })).toEqual({ hub: [byHand + 1, 0] });
});
