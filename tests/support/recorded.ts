import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { ClusterSpec, Topology } from "../../provider/mesh/types";
import type { Props } from "../../provider/resources/host";
import type { DoubleNode, StoredPeer } from "./api-double";

/** A stack that a released version left, with everything that was in its clusters: see tests/recorded/README.md. */
export interface RecordedStack {
    /** When it was: times in nodes are relative to it. */
    readonly recordedAt: Date;
    readonly mesh: RecordedMesh;
    readonly clusters: Readonly<Record<string, RecordedCluster>>;
    readonly resources: readonly RecordedResource[];
    /** As `pulumi stack export` gave it. */
    readonly exported: { readonly deployment: { readonly resources: readonly RecordedResource[] } };
}

export interface RecordedMesh {
    readonly name: string;
    readonly args: {
        readonly clusters: readonly ClusterSpec[];
        readonly topology?: Topology;
        readonly requestTimeout: number;
    };
}

export interface RecordedCluster {
    readonly nodes: readonly DoubleNode[];
    readonly peers: readonly StoredPeer[];
}

export interface RecordedResource {
    readonly urn: string;
    readonly type: string;
    readonly id?: string;
    readonly inputs?: Props;
    readonly outputs?: Props;
}

const DIRECTORY = path.join(__dirname, "../recorded");

/** Every recorded stack, as `version/name`. */
export const recordedStacks = (): readonly string[] =>
    readdirSync(DIRECTORY, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => readdirSync(path.join(DIRECTORY, name)).map((stack) => `${name}/${stack}`))
        .sort();

export function readRecorded(stack: string): RecordedStack {
    const { recordedAt, meshes } = read<{ recordedAt: string; meshes: [RecordedMesh] }>(stack, "program");
    const exported = read<RecordedStack["exported"]>(stack, "stack");
    return {
        recordedAt: new Date(recordedAt),
        mesh: meshes[0],
        clusters: read(stack, "clusters"),
        resources: exported.deployment.resources,
        exported,
    };
}

function read<T>(stack: string, name: string): T {
    const file = path.join(DIRECTORY, stack, `${name}.json`);
    const text = existsSync(file) ? readFileSync(file) : gunzipSync(readFileSync(`${file}.gz`));
    return JSON.parse(text.toString("utf8")) as T;
}

const LAST_SEEN = "kilo.squat.ai/last-seen";

/** The node as if it had been recorded now: what was fresh is fresh. */
export function asOfNow(node: DoubleNode, recordedAt: Date, now = new Date()): DoubleNode {
    const seen = node.metadata.annotations?.[LAST_SEEN];
    if (seen === undefined) return node;
    const moved = Number(seen) + Math.floor((now.getTime() - recordedAt.getTime()) / 1000);
    const annotations = { ...node.metadata.annotations, [LAST_SEEN]: String(moved) };
    return { ...node, metadata: { ...node.metadata, annotations } };
}

/** Inputs and outputs of a resource with another kubeconfig in place of the encrypted one. */
export const reconnected = (props: Props, kubeconfig: unknown): Props =>
    "kubeconfig" in props ? { ...props, kubeconfig } : props;
