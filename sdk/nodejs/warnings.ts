import * as pulumi from "@pulumi/pulumi";
import type { MeshPlan } from "../../provider/observe/plan-known";
import { howLong } from "../../provider/values/how-long";
import type { MemberView } from "./layout";
import { describeSkipped, describeTakeOvers, describeWarnings } from "./words";

/** Said on the member itself. */
const OF_MEMBERS: ReadonlySet<string> = new Set(["ClusterSilent", "ClusterUnusable"]);

/** Says what the run found, on the resource it belongs to. */
export function warn(
    component: pulumi.ComponentResource,
    clusters: readonly { readonly name: string }[],
    members: readonly MemberView[],
    plan: Promise<MeshPlan>,
): void {
    const say = async (): Promise<void> => {
        const { issues, skipped, unseen, targets } = await plan;
        const memberOf = new Map(clusters.map(({ name }, index) => [name, members[index]!.resource]));
        for (const { cluster, state, reason, fix, since, holder } of unseen) {
            const cause = unseen.some((other) => other.cluster === holder) ? `its kubeconfig is in ${holder}` : reason;
            const word = state === "silent" ? "unreachable" : "unusable";
            const next = state === "silent" ? `${fix}. The next \`pulumi up\` tries again.` : `${fix}.`;
            await pulumi.log.warn(
                `${cause} (${word} ${howLong(since, new Date())}). Its last known nodes keep their peers in the other clusters, ` +
                    `its own peers stay as they are. ${next}`,
                memberOf.get(cluster),
            );
        }
        const told = issues.filter(({ severity, code }) => severity !== "info" && !OF_MEMBERS.has(code));
        if (told.length > 0) await pulumi.log.warn(describeWarnings(told), component);
        const notes = issues.filter(({ code }) => code === "LeaderMoved");
        for (const { message } of notes) await pulumi.log.info(message, component);
        for (const [target, { takeOver }] of Object.entries(targets)) {
            if (takeOver.length > 0) await pulumi.log.info(describeTakeOvers(target, takeOver), component);
        }
        if (skipped.length > 0) await pulumi.log.warn(describeSkipped(skipped), component);
    };
    // A plan that fails is reported by the resources that wait for it.
    void say().catch(() => undefined);
}
