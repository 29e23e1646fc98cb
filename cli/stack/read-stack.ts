import path from "node:path";
import type { ClusterSpec, MeshSpec } from "../../provider/mesh/types";
import { readConnection } from "../../provider/resources/connection";
import { MEMBERS, PEER_SETS } from "../../provider/resources/group";
import { clustersOf, itemOf } from "../../provider/resources/group-items";
import type { Props } from "../../provider/resources/host";
import { decodeLedger, type Ledger } from "../../provider/state/ledger";
import { claimOfId } from "../../provider/state/member-id";
import { isUnknown } from "../../provider/values/unknown";
import { noSuch, UsageError } from "../failure";
import { isRelativePath, parseMeshText } from "../mesh-file";
import { readState, type StackResource } from "./resources";

/** What a stack has recorded of a member. */
export interface RecordedMember {
    /** As the engine gives them to the next check. */
    readonly inputs: Props;
    readonly claim: string;
}

/** What a stack has recorded of one mesh. */
export interface StackRecord {
    readonly meshId: string | undefined;
    /** By cluster; one that is missing was never registered. */
    readonly members: Readonly<Record<string, RecordedMember>>;
    /** The objects in each cluster that the state lists, those of peer sets that are being removed too. */
    readonly ledgers: Readonly<Record<string, Ledger>>;
    /** An update is under way, or was cut off: what it did is not all recorded. */
    readonly isPending: boolean;
}

export interface StackMesh {
    /** With the recorded credentials. Secret! */
    readonly mesh: MeshSpec;
    readonly record: StackRecord;
}

export interface Wanted {
    readonly stack: string;
    readonly directory: string;
    /** Which mesh, where the stack has several. */
    readonly mesh?: string | undefined;
}

/** One mesh of an exported stack: its arguments from the component, all else from its members. */
export function readStack(text: string, { stack, directory, mesh: wanted }: Wanted): StackMesh {
    const { resources, leaving, isPending } = readState(text);
    const found = resources.filter(({ type }) => type === COMPONENT).map((each) => meshOf(each, stack));
    const names = found.map(({ mesh }) => mesh.mesh);
    if (found.length === 0) {
        throw new UsageError(
            `the stack ${stack} has no ClusterMesh`,
            "Name another stack, or run `pulumi up` there first",
        );
    }
    if (wanted === undefined && found.length > 1) {
        throw new UsageError(
            `the stack ${stack} has ${found.length} meshes: ${names.join(", ")}`,
            "Choose one with --mesh",
        );
    }
    const chosen = wanted === undefined ? found[0] : found.find(({ mesh }) => mesh.mesh === wanted);
    if (chosen === undefined) throw noSuch(`there is no mesh ${JSON.stringify(wanted)} in ${stack}`, wanted!, names);
    const children = resources.filter(({ parent }) => parent === chosen.urn);
    const members = Object.fromEntries(children.flatMap(membersOf));
    const all = [...resources, ...leaving];
    const family = new Set([chosen.urn, ...all.filter(({ parent }) => parent === chosen.urn).map(({ urn }) => urn)]);
    const peerSets = all.filter(({ parent }) => family.has(parent)).flatMap(peerSetsOf);
    return {
        mesh: {
            ...chosen.mesh,
            clusters: chosen.mesh.clusters.map((cluster) => withCredentials(cluster, members[cluster.name], directory)),
        },
        record: {
            meshId: children.find((each) => isOfType(each, "Mesh"))?.id,
            members,
            ledgers: ledgersOf(peerSets),
            isPending,
        },
    };
}

const COMPONENT = "kilo-clustermesh:index:ClusterMesh";

/** Of the dynamic provider, and of the plugin. */
const isOfType = ({ type }: StackResource, name: "Mesh" | "Member" | "PeerSet" | "Members" | "PeerSets"): boolean =>
    type === `pulumi-nodejs:dynamic/kilo-clustermesh:${name}` || type === `kilo-clustermesh:index:${name}`;

function meshOf({ urn, outputs }: StackResource, stack: string): { readonly urn: string; readonly mesh: MeshSpec } {
    const { meshFile } = outputs;
    if (typeof meshFile === "string" && !isUnknown(meshFile)) {
        return { urn, mesh: parseMeshText(meshFile, `meshFile of ${stack}`, "/", { credentialsElsewhere: true }) };
    }
    throw new UsageError(
        `the stack ${stack} does not hold the arguments of ${urn.split("::").at(-1)}: its last update was by an older version, or not complete`,
        "Run `pulumi up` there once with this version",
    );
}

/** By cluster, of a member or of a group of them. */
function membersOf(resource: StackResource): readonly (readonly [string, RecordedMember])[] {
    const { id, inputs, outputs } = resource;
    if (isOfType(resource, "Member")) {
        const claim = claimOfId(id) ?? (typeof outputs.claim === "string" ? outputs.claim : "");
        return [[String(inputs.cluster ?? outputs.cluster), { inputs, claim }]];
    }
    if (!isOfType(resource, "Members")) return [];
    return clustersOf(inputs).map((cluster) => {
        const item = itemOf(MEMBERS, id, inputs, cluster)!;
        return [cluster, { inputs: item.props, claim: claimOfId(item.id) ?? "" }];
    });
}

/** By cluster, the ledger of a peer set or of each of a group. */
function peerSetsOf(resource: StackResource): readonly (readonly [string, Ledger])[] {
    const { id, inputs, outputs } = resource;
    if (isOfType(resource, "PeerSet")) {
        return [[String(inputs.cluster ?? outputs.cluster), decodeLedger(outputs.ledger)]];
    }
    if (!isOfType(resource, "PeerSets")) return [];
    return clustersOf(outputs).map((cluster) => [
        cluster,
        decodeLedger(itemOf(PEER_SETS, id, outputs, cluster)!.props.ledger),
    ]);
}

function ledgersOf(peerSets: readonly (readonly [string, Ledger])[]): Readonly<Record<string, Ledger>> {
    const ledgers: Record<string, Ledger> = {};
    for (const [cluster, ledger] of peerSets) ledgers[cluster] = new Map([...(ledgers[cluster] ?? []), ...ledger]);
    return ledgers;
}

/** A kubeconfig in a Secret is read from there, as `up` does; a path is relative to the project. */
function withCredentials(cluster: ClusterSpec, member: RecordedMember | undefined, directory: string): ClusterSpec {
    if (cluster.kubeconfigSecret !== undefined || member === undefined) return cluster;
    const { kubeconfig, context, local } = readConnection(member.inputs);
    const { context: _, local: __, ...rest } = cluster;
    return {
        ...rest,
        ...(kubeconfig === undefined
            ? {}
            : { kubeconfig: isRelativePath(kubeconfig) ? path.resolve(directory, kubeconfig.trim()) : kubeconfig }),
        ...(context === undefined ? {} : { context }),
        ...(local === true ? { local } : {}),
    };
}
