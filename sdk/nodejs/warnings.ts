import * as pulumi from "@pulumi/pulumi";
import { howLong } from "../../provider/values/how-long";
import type { Member } from "./children";
import type { MeshPlan } from "./plan-run";
import { describeSkipped, describeWarnings } from "./words";

/** Says what the run found, on the resource it belongs to. */
export function warn(
    component: pulumi.ComponentResource,
    clusters: readonly { readonly name: string }[],
    members: readonly Member[],
    plan: Promise<MeshPlan>,
): void {
    const say = async (): Promise<void> => {
        const { issues, skipped, unreachable, kept } = await plan;
        const memberOf = new Map(clusters.map(({ name }, index) => [name, members[index]!]));
        for (const { cluster, reason, since } of unreachable) {
            await pulumi.log.warn(
                `${reason} (unreachable ${howLong(since, new Date())}). Its last known nodes keep their peers in the other clusters, ` +
                    "its own peers are left as they are; the next `pulumi up` tries again.",
                memberOf.get(cluster),
            );
        }
        for (const [cluster, nodes] of Object.entries(kept)) {
            if (nodes.length === 0) continue;
            await pulumi.log.warn(
                `${cluster} lists no nodes, though it had ${nodes.length}: they are kept. If it is really empty, set allowEmpty: true on it.`,
                memberOf.get(cluster),
            );
        }
        const warnings = issues.filter(({ severity }) => severity === "warning");
        if (warnings.length > 0) await pulumi.log.warn(describeWarnings(warnings), component);
        if (skipped.length > 0) await pulumi.log.warn(describeSkipped(skipped), component);
    };
    // A plan that fails is reported by the resources that wait for it.
    void say().catch(() => undefined);
}
