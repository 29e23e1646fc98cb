import type { KubePeer } from "../../provider/kilo/types";
import { type ApiClient, ApiError, eachAtOnce } from "./api-client";
import type { ClusterNetworks } from "./networks";
import { type NodeSpec, nodeObject } from "./node-spec";

/** Where a local cluster is and how to get in. */
export interface ClusterDetails extends ClusterNetworks {
    readonly name: string;
    readonly index: number;
    readonly url: string;
    readonly port: number;
    readonly caFile: string;
    readonly etcdPrefix: string;
    /** Content of a kubeconfig that may do everything. */
    readonly adminKubeconfig: string;
    readonly adminKubeconfigFile: string;
    /** Content of a kubeconfig that may do what docs/rbac.yaml allows and nothing more. */
    readonly kubeconfig: string;
    readonly kubeconfigFile: string;
}

/** A Peer as the API server returns it. */
export interface LivePeer extends KubePeer {
    readonly metadata: NonNullable<KubePeer["metadata"]> & {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
        readonly generation: number;
        readonly creationTimestamp: string;
    };
    readonly spec: NonNullable<KubePeer["spec"]>;
}

/** What can be done with a running local cluster, always as its administrator. */
export interface ClusterHandle extends ClusterDetails {
    /** Creates the node, or makes an existing one equal to the spec. */
    putNode(spec: NodeSpec): Promise<void>;
    /** Many nodes at once. */
    putNodes(specs: readonly NodeSpec[]): Promise<void>;
    deleteNode(name: string): Promise<void>;
    /** `null` removes an annotation. */
    patchNodeAnnotations(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void>;
    /** By name. */
    listPeers(): Promise<LivePeer[]>;
    createPeer(body: { readonly name: string } & Pick<LivePeer, "spec"> & Partial<Labelled>): Promise<LivePeer>;
    deletePeer(name: string): Promise<void>;
    patchPeer(name: string, merge: unknown): Promise<LivePeer>;
    request: ApiClient["request"];
}

interface Labelled {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
}

const NODES = "/api/v1/nodes";
const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const MERGE = "application/merge-patch+json";
const PAGE = 500;

export function clusterHandle(details: ClusterDetails, { request }: Pick<ApiClient, "request">): ClusterHandle {
    const putNode = async (spec: NodeSpec) => {
        const node = nodeObject(details, spec);
        try {
            await request("POST", NODES, node);
        } catch (error) {
            if (!hasStatus(error, 409)) throw error;
            await replaceNode(request, node);
        }
    };
    return {
        ...details,
        request,
        putNode,
        putNodes: (specs) => eachAtOnce(specs, putNode),
        async deleteNode(name) {
            await request("DELETE", `${NODES}/${name}`);
        },
        async patchNodeAnnotations(name, annotations) {
            await request("PATCH", `${NODES}/${name}`, { metadata: { annotations } }, MERGE);
        },
        listPeers: () => listAll<LivePeer>(request, PEERS),
        createPeer({ name, spec, labels, annotations }) {
            const metadata = { name, labels, annotations };
            return request("POST", PEERS, { apiVersion: "kilo.squat.ai/v1alpha1", kind: "Peer", metadata, spec });
        },
        async deletePeer(name) {
            await request("DELETE", `${PEERS}/${name}`);
        },
        patchPeer: (name, merge) => request("PATCH", `${PEERS}/${name}`, merge, MERGE),
    };
}

export function hasStatus(error: unknown, status: number): boolean {
    return error instanceof ApiError && error.status === status;
}

/** The pod CIDRs of a node cannot be changed: a node that differs in them is a new node. */
async function replaceNode(request: ApiClient["request"], node: ReturnType<typeof nodeObject>): Promise<void> {
    const path = `${NODES}/${node.metadata?.name}`;
    try {
        await request("PUT", path, node);
        // The status is replaced on its own path only; a merge patch takes the whole list of addresses.
        await request("PATCH", `${path}/status`, { status: node.status }, MERGE);
    } catch (error) {
        if (!hasStatus(error, 422)) throw error;
        await request("DELETE", path);
        await request("POST", NODES, node);
    }
}

async function listAll<T>(request: ApiClient["request"], path: string): Promise<T[]> {
    const items: T[] = [];
    let next = "";
    do {
        const page = await request<{ items: T[]; metadata: { continue?: string } }>(
            "GET",
            `${path}?limit=${PAGE}&continue=${encodeURIComponent(next)}`,
        );
        items.push(...page.items);
        next = page.metadata.continue ?? "";
    } while (next !== "");
    return items;
}
