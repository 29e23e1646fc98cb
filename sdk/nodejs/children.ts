import * as pulumi from "@pulumi/pulumi";
import type { KnownMember } from "../../provider/observe/plan-known";
import { nodesPropertyOf, propertyOf } from "../../provider/resources/group-items";
import { claimOfId } from "../../provider/state/member-id";
import { SCHEMA_VERSIONS } from "../../provider/state/schema-version";
import type { Fix } from "../../provider/values/fix";
import { type ChildType, childType, isServedByPlugin } from "./child-types";

/**
 * The provider is named, not serialized: state holds this one line, and the installed package's code runs, at destroy
 * too (docs/pulumi.md: the provider is named, not serialized). It is in users' state forever.
 */
const HANDLER = 'exports.handler = () => require("pulumi-kilo-clustermesh/provider");';

/** A value that may come late, or not at all in a preview. */
type Late<T> = pulumi.Input<T | undefined>;

/** What is the same for all clusters of a mesh: what to do when one does not answer. */
export interface SharedArgs {
    mesh: string;
    requestTimeout: pulumi.Input<number>;
    deleteUnreachable: pulumi.Input<boolean>;
}

/** Inputs that members and peer sets have: how to reach the cluster as well. */
export interface ChildArgs extends SharedArgs {
    cluster: string;
    kubeconfig?: Late<string>;
    context?: Late<string>;
    local?: Late<boolean>;
}

export interface MemberArgs extends ChildArgs {
    /** A line per node, its name and its facts; absent when the cluster was not seen. */
    nodes: Late<string>;
    /** Why there was no answer. */
    unreachable?: Late<string>;
    /** Why it cannot be used, and what to do about it. */
    unusable?: Late<string>;
    unusableFix?: Late<string>;
    allowEmpty: pulumi.Input<boolean>;
    /** Uid of the cluster that answered. */
    identity?: Late<string>;
    /** The uid that the user says the cluster has now. */
    rebuilt?: Late<string>;
    /** Another member that is the same cluster. */
    twin?: Late<string>;
}

/** A promise, not an Output: that would make the child depend on its parent, which waits for all of its children. */
const urnOf = (name: string, token: string, parent: pulumi.Resource | undefined): Promise<string> =>
    new Promise((resolve) => {
        pulumi.createUrn(name, token, parent).apply(resolve);
    });

abstract class Child extends pulumi.CustomResource {
    protected constructor(
        type: ChildType,
        kind: keyof typeof SCHEMA_VERSIONS,
        name: string,
        props: pulumi.Inputs,
        opts: pulumi.CustomResourceOptions,
    ) {
        const { token, aliases } = childType(type);
        // the engine tells the plugin with every call what it tells the dynamic host through inputs only
        const told = isServedByPlugin()
            ? {}
            : { __provider: HANDLER, resource: kind, resourceUrn: urnOf(name, token, opts.parent) };
        super(
            token,
            name,
            { ...told, schemaVersion: SCHEMA_VERSIONS[kind], ...props },
            { additionalSecretOutputs: ["kubeconfig", "kubeconfigs", "former"], aliases, ...opts },
        );
    }
}

/** Holds the random id of a mesh: it is the id of this resource. */
export class MeshRecord extends Child {
    constructor(name: string, args: { mesh: string; grouped?: true }, opts: pulumi.CustomResourceOptions) {
        super("Mesh", "mesh", name, args, opts);
    }
}

/** Stands for one cluster in the stack: our claim on it, its identity, and its last known nodes. */
export class Member extends Child {
    /** The last known nodes, a line each: its name and its facts. */
    declare readonly nodes: pulumi.Output<string>;
    /** The label value that marks every object we put into the cluster. */
    declare readonly claim: pulumi.Output<string>;
    /** When the cluster stopped answering; absent while it answers. */
    declare readonly unreachableSince: pulumi.Output<string | undefined>;
    /** Why the cluster cannot be used; absent while it can. */
    declare readonly unusable: pulumi.Output<string | undefined>;
    declare readonly unusableFix: pulumi.Output<Fix | undefined>;
    declare readonly unusableSince: pulumi.Output<string | undefined>;
    /** Uid of the cluster. */
    declare readonly identity: pulumi.Output<string | undefined>;
    /** The cluster was never seen. */
    declare readonly neverSeen: pulumi.Output<boolean | undefined>;

    constructor(name: string, args: MemberArgs, opts: pulumi.CustomResourceOptions) {
        const found = { claim: undefined, unreachableSince: undefined, unusableSince: undefined, neverSeen: undefined };
        super("Member", "member", name, { ...found, ...args }, opts);
    }

    /** Known in previews of updates too, unlike an output that is no input: it is part of the id. */
    knownClaim(): pulumi.Output<string> {
        return this.id.apply((id): pulumi.Input<string> => claimOfId(id) ?? this.claim) as pulumi.Output<string>;
    }
}

export interface PeerSetArgs extends ChildArgs {
    claim: pulumi.Input<string>;
    meshId: pulumi.Input<string>;
    identity: Late<string>;
    neverSeen: Late<boolean>;
    owner: pulumi.Input<string>;
    /** By source cluster, a line per peer: its name and what it is. A source may be unknown while others are known. */
    peers: Promise<Readonly<Record<string, pulumi.Input<string>>>>;
    /** Live peers that are not what was written, by name, with how they differ. */
    repair: Promise<Record<string, string> | undefined>;
    /** Peers without labels that may be ours: name to uid. */
    unlabelled: Promise<Record<string, string> | undefined>;
    /** Peers to take over, by name. */
    adopt: Promise<Record<string, string> | undefined>;
    /** Why nothing is written now. */
    pending: Promise<string | undefined>;
}

/** Owns all our peers in one cluster. */
export class PeerSet extends Child {
    /** What we created: name, uid and fingerprint of each peer. */
    declare readonly ledger: pulumi.Output<string>;

    constructor(name: string, args: PeerSetArgs, opts: pulumi.CustomResourceOptions) {
        super("PeerSet", "peers", name, { ...args, ledger: undefined }, opts);
    }
}

interface GroupArgs extends SharedArgs {
    /** Those that are known, in one secret; another stands in the property of its cluster. */
    kubeconfigs: Promise<pulumi.Output<string>>;
    /** And a property for each cluster: `propertyOf` names it. */
    [property: `cluster:${string}`]: pulumi.Input<object>;
    [property: `nodes:${string}`]: Late<string>;
}

/** What a group of members tells of one of them. */
export interface GroupedMember extends KnownMember {
    /** Its nodes are those that the program saw. */
    readonly asSeen?: string;
    readonly identity?: string;
    readonly neverSeen?: boolean;
}

/** Stands for all clusters of a mesh. */
export class MemberGroup extends Child {
    /** Clusters that have left the mesh, and how to reach them. */
    declare readonly former: pulumi.Output<Record<string, unknown> | undefined>;

    constructor(name: string, args: GroupArgs, opts: pulumi.CustomResourceOptions) {
        super("Members", "members", name, { former: undefined, ...args }, opts);
    }

    /** One of the clusters. Known as soon as all of its own values are. */
    of(cluster: string): pulumi.Output<GroupedMember> {
        return (this as unknown as Record<string, pulumi.Output<GroupedMember>>)[propertyOf(cluster)]!;
    }

    /** Its last known nodes, where they are not those that the program saw. */
    nodesOf(cluster: string): pulumi.Output<string | undefined> {
        return (this as unknown as Record<string, pulumi.Output<string | undefined>>)[nodesPropertyOf(cluster)]!;
    }
}

export interface PeerSetGroupArgs extends GroupArgs {
    meshId: pulumi.Input<string>;
    /** The group of the members, of whose id the claims are made. */
    members: pulumi.Input<string>;
    former: Late<Record<string, unknown>>;
    owner: pulumi.Input<string>;
    /** Peers of a cluster that leaves the mesh stay. */
    retain?: boolean;
    /** And of all that leave, until a later run. */
    holdRemovals: Promise<boolean | undefined>;
    /** The peers of each source, for the targets that have a digest of them. */
    [property: `peers:${string}`]: Promise<string | undefined>;
}

/** Owns all our peers in all clusters of a mesh. */
export class PeerSetGroup extends Child {
    constructor(name: string, args: PeerSetGroupArgs, opts: pulumi.CustomResourceOptions) {
        super("PeerSets", "peerSets", name, args, opts);
    }
}
