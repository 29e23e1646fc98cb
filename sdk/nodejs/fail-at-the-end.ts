import * as pulumi from "@pulumi/pulumi";
import type { MeshPlan, UnseenMember } from "../../provider/observe/plan-known";
import type { Settings } from "./args/settings";
import { inOurWords } from "./unpublished/in-our-words";
import { knownValue } from "./unpublished/known";

/** Everything that can be done is done first, then the run fails for what a person must look at. Previews only warn. */
export function failAtTheEnd(
    component: pulumi.Resource,
    settings: pulumi.Output<Settings>,
    peersWritten: readonly pulumi.Output<unknown>[],
    planned: pulumi.Output<MeshPlan>,
): void {
    const written = pulumi.all([...peersWritten]);
    const missing = planned.apply(({ unseen }) => unseen);
    const end = pulumi.all([settings, missing, written]).apply(([found, unseen]) => {
        const failed = failing(found, unseen);
        if (failed.length === 0 || pulumi.runtime.isDryRun()) return;
        throw inOurWords(describeUnseen(failed), component);
    });
    ends.set(component, end);
}

/** The members for which the run is to fail. */
export function failing(
    { onUnreachable = "skip", onUnusable = "fail" }: Settings,
    unseen: readonly UnseenMember[],
): readonly UnseenMember[] {
    const accepted = acceptedUnusable(process.env.KILO_CLUSTERMESH_ACCEPT_UNUSABLE);
    return unseen.filter(({ state, cluster }) =>
        state === "silent" ? onUnreachable === "fail" : onUnusable === "fail" && !accepted(cluster),
    );
}

const ends = new WeakMap<pulumi.Resource, pulumi.Output<void>>();

/** When the run of a mesh is over, with its failure. A program waits by itself; the plugin must, before it answers. */
export const endOf = async (component: pulumi.Resource): Promise<void> => {
    const end = ends.get(component);
    if (end !== undefined) await knownValue(end);
};

const acceptedUnusable = (names: string | undefined): ((cluster: string) => boolean) => {
    const list = (names ?? "").split(",").map((name) => name.trim());
    return (cluster) => list.includes(cluster);
};

/** The cause of each once: a member that only waits for the holder of its kubeconfig is named behind it. */
export function describeUnseen(unseen: readonly UnseenMember[]): string {
    const lines = unseen.map(({ cluster, reason, fix, holder }) => {
        const isFollower = unseen.some((other) => other.cluster === holder);
        return isFollower ? `${cluster}: its kubeconfig is in ${holder}` : `${reason}. ${fix}`;
    });
    const names = unseen.filter(({ state }) => state === "unusable").map(({ cluster }) => cluster);
    const next = [
        names.length === 0
            ? ""
            : ` To let one run pass with what is unusable, set KILO_CLUSTERMESH_ACCEPT_UNUSABLE=${names.join(",")}.`,
        names.length === unseen.length
            ? ""
            : ' Run `pulumi up` again when the silent ones answer, or set onUnreachable: "skip".',
    ];
    return [
        `${unseen.length === 1 ? "one cluster" : `${unseen.length} clusters`} could not be used; the peers of all others are written`,
        ...lines.map((line) => `  - ${line}`),
        `Their own peers, and those that stand for them, stay as they were.${next.join("")}`,
        "Because this run fails, Pulumi removes nothing in it: clusters that the program no longer has are removed by the next run that succeeds.",
    ].join("\n");
}
