import * as pulumi from "@pulumi/pulumi";

/**
 * The provider is named, not serialized: state holds this one line, and the installed package's code runs, at destroy
 * too (docs/pulumi.md: the provider is named, not serialized). It is in users' state for ever.
 */
const HANDLER = 'exports.handler = () => require("pulumi-kilo-clustermesh/provider");';

const SCHEMA_VERSION = 1;

/** Inputs that both children have: how to reach the cluster, and what to do when it does not answer. */
export interface ChildArgs {
    mesh: string;
    cluster: string;
    kubeconfig?: pulumi.Input<string | undefined>;
    context?: pulumi.Input<string | undefined>;
    local?: pulumi.Input<boolean | undefined>;
    requestTimeout: pulumi.Input<number>;
    deleteUnreachable: pulumi.Input<boolean>;
}

export interface MemberArgs extends ChildArgs {
    /** A line per node, its name and its facts; absent when the cluster does not answer. */
    nodes: pulumi.Input<string | undefined>;
    unreachable?: pulumi.Input<string | undefined>;
    allowEmpty: pulumi.Input<boolean>;
}

/** A promise, not an Output: that would make the child depend on its parent, which waits for all of its children. */
const urnOf = (name: string, token: string, parent: pulumi.Resource | undefined): Promise<string> =>
    new Promise((resolve) => {
        pulumi.createUrn(name, token, parent).apply(resolve);
    });

abstract class Child extends pulumi.CustomResource {
    protected constructor(
        type: "Member" | "PeerSet",
        kind: "member" | "peers",
        name: string,
        props: pulumi.Inputs,
        opts: pulumi.CustomResourceOptions,
    ) {
        const token = `pulumi-nodejs:dynamic/kilo-clustermesh:${type}`;
        super(
            token,
            name,
            {
                __provider: HANDLER,
                resource: kind,
                schemaVersion: SCHEMA_VERSION,
                resourceUrn: urnOf(name, token, opts.parent),
                ...props,
            },
            { additionalSecretOutputs: ["kubeconfig"], ...opts },
        );
    }
}

/** Stands for one cluster in the stack: our claim on it, and its last known nodes. */
export class Member extends Child {
    /** The last known nodes, a line each: its name and its facts. */
    declare readonly nodes: pulumi.Output<string>;
    /** The label value that marks every object we put into the cluster. */
    declare readonly claim: pulumi.Output<string>;
    /** When the cluster stopped answering; absent while it answers. */
    declare readonly unreachableSince: pulumi.Output<string | undefined>;

    constructor(name: string, args: MemberArgs, opts: pulumi.CustomResourceOptions) {
        super("Member", "member", name, { ...args, claim: undefined, unreachableSince: undefined }, opts);
    }
}

export interface PeerSetArgs extends ChildArgs {
    claim: pulumi.Input<string>;
    owner: pulumi.Input<string>;
    /** By source cluster, a line per peer: its name and what it is. */
    peers: pulumi.Input<Record<string, string>>;
    /** Live peers that are not what was written, by name, with how they differ. */
    repair?: pulumi.Input<Record<string, string> | undefined>;
    /** Peers to take over, by name. */
    adopt?: pulumi.Input<Record<string, string> | undefined>;
    /** Set when the cluster does not answer: nothing is written now. */
    pending?: pulumi.Input<string | undefined>;
}

/** Owns all our peers in one cluster. */
export class PeerSet extends Child {
    /** What we created: name, uid and fingerprint of each peer. */
    declare readonly ledger: pulumi.Output<string>;

    constructor(name: string, args: PeerSetArgs, opts: pulumi.CustomResourceOptions) {
        super("PeerSet", "peers", name, { ...args, ledger: undefined }, opts);
    }
}
