import type * as pulumi from "@pulumi/pulumi";
import type { ClusterSpec } from "../../provider/mesh/types";
import {
    type KnownMember,
    type KnownRun,
    type LookAgain,
    type MeshPlan,
    settled,
} from "../../provider/observe/plan-known";
import type { Settings } from "./args/settings";
import type { MemberView } from "./layout";
import { knownValue } from "./unpublished/known";

export interface PlanRun extends Pick<KnownRun, "mesh" | "topology" | "clusters" | "sight"> {
    readonly meshId: pulumi.Output<string>;
    readonly settings: pulumi.Output<Settings>;
    readonly specs: readonly pulumi.Output<ClusterSpec>[];
    readonly members: readonly MemberView[];
    /** Looks at some clusters again, a moment later. */
    readonly lookAgain: LookAgain;
}

/** Plans the whole mesh once all members are registered: their checks filled the gaps with what was known before. */
export async function planRun({ lookAgain, ...given }: PlanRun): Promise<MeshPlan> {
    const members: KnownMember[] = [];
    for (const member of given.members) members.push(await member.known());
    const known: KnownRun = {
        ...given,
        meshId: await knownValue(given.meshId),
        settings: (await knownValue(given.settings)) ?? {},
        specs: await Promise.all(given.specs.map(knownValue)),
        members,
    };
    return settled(known, lookAgain);
}
