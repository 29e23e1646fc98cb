import { readPeer, type WantedPeer } from "../../../provider/kilo/peer";
import type { KubeNode } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { PlanInput } from "../../../provider/mesh/types";
import { planWrites, type Write } from "../../../provider/resources/writes";
import { publicKey } from "../../../tools/clusters";
import type { PeerEvent } from "../../support/kilo-model/cluster-plane";
import { DataPlane } from "../../support/kilo-model/data-plane";
import { judge, type Violation } from "../../support/kilo-model/judge";
import type { ClusterObjects, NodeObject } from "../../support/kilo-model/objects";
import type { Options } from "../../support/kilo-model/options";
import { mutatedExports } from "./mutated-source";

/**
 * Each of these breaks one rule of writing and leaves all else. The plan is right and the objects are right in the end: only
 * what Kilo makes of the writes, one after the other, can tell.
 */
interface Scene {
    readonly before: Readonly<Record<string, readonly Node[]>>;
    readonly after: Readonly<Record<string, readonly Node[]>>;
    readonly keepalive?: number;
    /** Clusters behind NAT. */
    readonly natted?: readonly string[];
    /** Nobody has sent anything yet. */
    readonly idle?: boolean;
    readonly options?: Options;
}

type Node = KubeNode & NodeObject;

interface NodeOptions {
    /** What its key is made from. Agents compare by key: that of c-first is before those of a3 and another. */
    readonly key?: string;
    readonly ip?: string;
    readonly location?: string;
}

/** Node a1 of cluster a has pods in 10.1.1.0/24, and so on; in a location if it is given one. */
function node(name: string, { key = name, ip, location }: NodeOptions = {}): Node {
    const [cluster, at] = [name.charCodeAt(0) - 96, Number(name.slice(1))];
    const annotations = {
        key: publicKey("keys", key),
        endpoint: `${ip ?? `198.51.100.${cluster * 10 + at}`}:51820`,
        "internal-ip": `192.168.${cluster}.${at}/24`,
        granularity: location === undefined ? "full" : "location",
        "persistent-keepalive": "25",
        ...(location === undefined ? {} : { location }),
    };
    return {
        metadata: {
            name,
            annotations: Object.fromEntries(
                Object.entries(annotations).map(([short, value]) => [`kilo.squat.ai/${short}`, value]),
            ),
        },
        spec: { podCIDR: `10.${cluster}.${at}.0/24`, podCIDRs: [`10.${cluster}.${at}.0/24`] },
        status: { addresses: [] },
    };
}

function inputOf(scene: Scene, nodes: Scene["before"]): PlanInput {
    const names = Object.keys(nodes);
    return {
        mesh: "m",
        nodes,
        claims: Object.fromEntries(names.map((name) => [name, `claim-${name}`])),
        clusters: names.map((name) => ({
            name,
            podCIDRs: [`10.${name.charCodeAt(0) - 96}.0.0/16`],
            ...(scene.keepalive === undefined ? {} : { persistentKeepalive: scene.keepalive }),
            ...(scene.natted?.includes(name) ? { nat: true } : {}),
        })),
    };
}

const objectsOf = (input: PlanInput): Readonly<Record<string, ClusterObjects>> => {
    const { peers } = planMesh(input);
    return Object.fromEntries(
        Object.entries(input.nodes).map(([name, nodes]) => [
            name,
            {
                nodes,
                peers: Object.entries(peers[name] ?? {}).map(([peer, { labels, spec }]) => ({
                    metadata: { name: peer, uid: `uid-${peer}`, labels },
                    spec,
                })),
            },
        ]),
    );
};

type Planning = typeof planWrites;

/** `planWrites` with one place of its source changed. */
const rewritten = (from: string, to: string): Planning => {
    const file = "provider/resources/writes.ts";
    return mutatedExports<{ planWrites: Planning }>(file, { file, from, to }).planWrites;
};

/** From one moment to the next: agents follow every write, and what they have in the end is judged. */
function violations(scene: Scene, plan: Planning): readonly Violation[] {
    const options: Options = { ...scene.options, natted: ({ cluster }) => scene.natted?.includes(cluster) === true };
    const present = objectsOf(inputOf(scene, scene.before));
    const input = { ...inputOf(scene, scene.after), livePeers: livePeers(present) };
    const clusters = objectsOf(input);
    const empty = Object.keys(clusters).filter((name) => !(name in present));
    const plane = new DataPlane(
        { ...present, ...Object.fromEntries(empty.map((name) => [name, { nodes: [], peers: [] }])) },
        options,
    );
    if (!scene.idle) plane.exchangeAll();
    for (const [name, nodes] of Object.entries(scene.after)) {
        const gone = scene.before[name]?.filter(
            ({ metadata }) => !nodes.some((other) => nameOf(other) === metadata?.name),
        );
        for (const each of gone ?? []) plane.removeNode(name, nameOf(each));
        for (const each of nodes) plane.setNode(name, each);
    }
    for (const [name, { peers }] of Object.entries(clusters)) {
        const own = (present[name]?.peers ?? []).flatMap((peer) => readPeer(peer) ?? []);
        const wanted = peers.map((peer): WantedPeer => {
            const read = readPeer(peer)!;
            return { name: read.name, source: read.name.split("--")[1]!, peer: { spec: read.spec } };
        });
        const { withdraw, grant } = plan({ own, foreign: [], wanted, labelsOf: () => ({}) });
        for (const event of [...withdraw, ...grant].flatMap(eventsOf)) plane.apply(name, event);
    }
    for (const name of Object.keys(clusters)) plane.resync(name);
    return judge({ clusters, declaration: { links: "all" }, options, model: plane });
}

const nameOf = ({ metadata }: Node): string => metadata?.name ?? "";

const livePeers = (objects: Readonly<Record<string, ClusterObjects>>): NonNullable<PlanInput["livePeers"]> =>
    Object.fromEntries(
        Object.entries(objects).map(([name, { peers }]) => [
            name,
            peers as NonNullable<PlanInput["livePeers"]>[string],
        ]),
    );

function eventsOf(write: Write): readonly PeerEvent[] {
    const gone = (): PeerEvent => objectOf("DELETED", (write as { live: { name: string; spec: object } }).live);
    if (write.kind === "delete") return [gone()];
    const { name, peer } = write.wanted;
    if (write.kind === "patch") return [objectOf("MODIFIED", { name, spec: peer.spec })];
    const made = objectOf("ADDED", { name, spec: peer.spec });
    return write.kind === "create" ? [made] : [gone(), made];
}

const objectOf = (
    type: PeerEvent["type"],
    { name, spec }: { readonly name: string; readonly spec: object },
): PeerEvent => ({
    type,
    object: { metadata: { name }, spec },
});

const SCENES: readonly (readonly [string, Scene, readonly [from: string, to: string]])[] = [
    [
        "a key is given to another peer before the one that had it goes",
        {
            before: { a: [node("a1"), node("a2")], b: [node("b1")] },
            after: { a: [node("a1"), node("a3", { key: "a2" })], b: [node("b1")] },
        },
        [
            "return { withdraw, grant: endpointlessLast(grant), terminating };",
            "return { withdraw: grant, grant: withdraw, terminating };",
        ],
    ],
    [
        "a new key is patched while an idle peer without endpoint hides changes",
        {
            before: { a: [node("a1", { key: "a3" })], b: [node("b1")], c: [node("c1", { key: "c-first" })] },
            after: { a: [node("a1", { key: "another" })], b: [node("b1")], c: [node("c1", { key: "c-first" })] },
            natted: ["c"],
            idle: true,
        },
        ["if (endpointless) return true;", ""],
    ],
    [
        "a new endpoint is patched while the old one was seen in use",
        {
            before: { a: [node("a1")], b: [node("b1")] },
            after: { a: [node("a1", { ip: "203.0.113.1" })], b: [node("b1")] },
            keepalive: 25,
            options: { blocked: ({ cluster }) => cluster === "a" },
        },
        ["return roams && !sameEndpoint(live.spec.endpoint, peer.spec.endpoint);", "return false;"],
    ],
    [
        "a peer without endpoint is created before the others are written",
        {
            before: {
                a: [node("a1", { location: "eu" }), node("a9", { location: "eu" }), node("a3", { location: "us" })],
                b: [node("b1")],
            },
            after: {
                a: [node("a1", { location: "eu" }), node("a9", { location: "us" }), node("a3", { location: "us" })],
                b: [node("b1")],
                c: [node("c1", { key: "c-first" })],
            },
            natted: ["c"],
        },
        [
            "return { withdraw, grant: endpointlessLast(grant), terminating };",
            `const isLast = (write: Write) => write.kind === "create" && write.wanted.peer.spec.endpoint === undefined;
            return { withdraw: [...grant.filter(isLast), ...withdraw], grant: grant.filter((each) => !isLast(each)), terminating };`,
        ],
    ],
];

test.each(SCENES)("the model alone finds writes in which %s", (_, scene, change) => {
    expect(violations(scene, planWrites)).toEqual([]);
    expect(violations(scene, rewritten(...change))).not.toEqual([]);
});
