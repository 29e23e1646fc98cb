import type * as pulumi from "@pulumi/pulumi";
import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KubeNode } from "../../../provider/kilo/types";
import { recordable } from "../../../provider/mesh/knowledge";
import { clustersOf, nodesPropertyOf } from "../../../provider/resources/group-items";
import { encodeNodes } from "../../../provider/state/facts-text";
import { memberId } from "../../../provider/state/member-id";

/** What `kubectl get nodes -o json` prints, or the nodes in it. */
export type RecordedNodes = readonly KubeNode[] | { readonly items: readonly KubeNode[] };

export interface MeshMocksOptions {
    /** The nodes of each cluster of the mesh, by its name. One that is not named here has none. */
    readonly nodes?: Readonly<Record<string, RecordedNodes>>;
    /** For the other resources and calls of the program. Default: a resource has what it was given. */
    readonly mocks?: Partial<pulumi.runtime.Mocks>;
}

/** A resource that the program registered. */
export interface RegisteredResource {
    readonly type: string;
    readonly name: string;
    readonly inputs: Readonly<Record<string, unknown>>;
}

export interface MeshMocks extends pulumi.runtime.Mocks {
    /** All resources so far, in order. */
    readonly resources: readonly RegisteredResource[];
}

const OURS = "pulumi-nodejs:dynamic/kilo-clustermesh:";

/**
 * Mocks for `pulumi.runtime.setMocks` with which a `ClusterMesh` plans with recorded nodes instead of live clusters.
 *
 * @example
 * const mocks = meshMocks({ nodes: { hub: hubNodes, berlin: berlinNodes } });
 * await pulumi.runtime.setMocks(mocks);
 */
export function meshMocks({ nodes = {}, mocks = {} }: MeshMocksOptions = {}): MeshMocks {
    const resources: RegisteredResource[] = [];
    const newResource = async (args: pulumi.runtime.MockResourceArgs): Promise<pulumi.runtime.MockResourceResult> => {
        const { type, name, inputs } = args;
        resources.push({ type, name, inputs });
        if (type === `${OURS}Member`) return member(inputs, nodes[String(inputs.cluster)] ?? []);
        if (type === `${OURS}Members`) return { id: `${name}-id`, state: grouped(inputs, nodes) };
        if (type.startsWith(OURS) || mocks.newResource === undefined) return { id: `${name}-id`, state: inputs };
        return mocks.newResource(args);
    };
    return { resources, newResource, call: (args) => mocks.call?.(args) ?? {} };
}

/** As the provider would answer for a cluster that was seen with these nodes. */
function member(inputs: Readonly<Record<string, unknown>>, recorded: RecordedNodes): pulumi.runtime.MockResourceResult {
    const { mesh, cluster } = inputs;
    const claim = `claim-${cluster}`;
    return {
        id: memberId(mesh, cluster, claim),
        state: { ...inputs, claim, nodes: factsOf(recorded), identity: "", neverSeen: false },
    };
}

/** And for all clusters of a group. */
const grouped = (
    inputs: Readonly<Record<string, unknown>>,
    recorded: Readonly<Record<string, RecordedNodes>>,
): Record<string, unknown> => ({
    ...inputs,
    ...Object.fromEntries(
        clustersOf(inputs).map((cluster) => [nodesPropertyOf(cluster), factsOf(recorded[cluster] ?? [])]),
    ),
});

const factsOf = (recorded: RecordedNodes): string =>
    encodeNodes(readNodes("items" in recorded ? recorded.items : recorded, {}).map(recordable));
