import type * as pulumi from "@pulumi/pulumi";
import type { ClusterSpec } from "../../provider/mesh/types";
import type { Sight } from "../../provider/observe/look";
import type { MemberInputs } from "../../provider/observe/member-inputs";
import type { KnownMember } from "../../provider/observe/plan-known";
import type { ClusterArgs } from "./args/cluster-args";
import type { Settings } from "./args/settings";
import type { MeshRecord } from "./children";
import type { TargetInputs } from "./target-inputs";

/** What is recorded of a mesh, in whatever resources. */
export interface Recording {
    /** Name of the component. */
    readonly name: string;
    readonly mesh: string;
    readonly clusters: readonly ClusterArgs[];
    /** In their order, as all that follows by cluster. */
    readonly specs: readonly pulumi.Output<ClusterSpec>[];
    readonly seen: readonly pulumi.Output<MemberInputs>[];
    readonly settings: pulumi.Output<Settings>;
    readonly sight: Promise<Sight>;
    readonly record: MeshRecord;
    /** `organization/project/stack/mesh`, for people. */
    readonly owner: string;
    readonly options: pulumi.CustomResourceOptions;
}

/** A member as the program reads it, once it is registered. */
export interface MemberView {
    /** Where to say what concerns it. */
    readonly resource: pulumi.Resource;
    readonly known: () => Promise<KnownMember>;
    /** Known when its nodes are. */
    readonly nodesKnown: pulumi.Output<unknown>;
}

/** What one cluster is to hold. A source that is not known yet hides nothing of the others. */
export interface PeerInputs extends Omit<TargetInputs, "peers"> {
    readonly peers: Readonly<Record<string, pulumi.Input<string>>>;
}

/** The resources that a mesh is recorded in. */
export interface Layout {
    readonly members: readonly MemberView[];
    /**
     * Registers what owns the peers. Each result is known when the peers that it stands for are written. `runFails`: in the end,
     * for a member that cannot be used; then nothing is removed.
     */
    readonly ownPeers: (
        inputs: readonly Promise<PeerInputs>[],
        runFails: Promise<boolean>,
    ) => readonly pulumi.Output<unknown>[];
}
