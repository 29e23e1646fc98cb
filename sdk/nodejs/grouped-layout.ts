import * as pulumi from "@pulumi/pulumi";
import type { MemberInputs } from "../../provider/observe/member-inputs";
import { nodesPropertyOf, propertyOf, sourceProperties } from "../../provider/resources/group-items";
import { encodeKubeconfigs } from "../../provider/state/kubeconfigs-text";
import { claimInGroup } from "../../provider/state/member-id";
import { sharePeers } from "../../provider/state/shared-peers";
import { type GroupedMember, MemberGroup, PeerSetGroup } from "./children";
import { kubeconfigOf, sharedArgs } from "./connection-args";
import type { Layout, MemberView, Recording } from "./layout";
import { withBriefStacks } from "./unpublished/brief-stacks";
import { isKnown, knownValue } from "./unpublished/known";

/** Two resources for all clusters: the engine's cost grows with their number (docs/pulumi.md: every step writes the state). */
export function groupedLayout(recording: Recording): Layout {
    const { name, clusters, specs, seen, record, owner, options } = recording;
    const kubeconfigs = sortKubeconfigs(recording);
    const shared = { ...sharedArgs(recording), kubeconfigs: kubeconfigs.then(({ known }) => known) };
    const items = clusters.flatMap(({ name: cluster }, index) => [
        [nodesPropertyOf(cluster), seen[index]!.apply(({ nodes }) => nodes)],
        [
            propertyOf(cluster),
            pulumi
                .all([specs[index]!, seen[index]!])
                .apply(([{ context, local, allowEmpty }, { nodes, ...found }]) => ({
                    ...found,
                    ...(context === undefined ? {} : { context }),
                    ...(local === undefined ? {} : { local }),
                    allowEmpty: allowEmpty ?? false,
                })),
        ],
    ]);
    const group = withBriefStacks(
        () => new MemberGroup(`${name}-members`, { ...shared, ...Object.fromEntries(items) }, options),
    );
    return {
        members: clusters.map((cluster, index) => viewOf(group, cluster.name, seen[index]!)),
        ownPeers: (inputs, runFails) => {
            const peers = Promise.all(inputs).then((all) =>
                sharePeers(
                    Object.fromEntries(clusters.map(({ name: cluster }, index) => [cluster, all[index]!.peers])),
                ),
            );
            const targets = clusters.map(({ name: cluster, context, local }, index) => [
                propertyOf(cluster),
                inputs[index]!.then(async (wanted) => ({
                    ...wanted,
                    peers: (await peers).peers[cluster],
                    context,
                    local,
                    ...(await kubeconfigs).unknown[cluster],
                    ...(await identityOf(group.of(cluster))),
                })),
            ]);
            const args = {
                ...shared,
                meshId: record.id,
                members: group.id,
                former: group.former,
                owner,
                holdRemovals: runFails.then((fails) => fails || undefined),
                ...sourceProperties(
                    Object.fromEntries(
                        clusters.map(({ name: source }) => [source, peers.then(({ sources }) => sources[source])]),
                    ),
                ),
                ...(options.retainOnDelete === undefined ? {} : { retain: options.retainOnDelete }),
                ...Object.fromEntries(targets),
            };
            return [withBriefStacks(() => new PeerSetGroup(`${name}-peers`, args, { ...options, parent: group })).id];
        },
    };
}

/** All that are known as one secret, and the others by cluster: one that is not known yet hides no other. */
async function sortKubeconfigs(recording: Recording): Promise<{
    readonly known: pulumi.Output<string>;
    readonly unknown: Readonly<Record<string, { readonly kubeconfig: pulumi.Output<string | undefined> }>>;
}> {
    const known: Record<string, pulumi.Output<string | undefined>> = {};
    const unknown: Record<string, { readonly kubeconfig: pulumi.Output<string | undefined> }> = {};
    for (const [index, { name }] of recording.clusters.entries()) {
        const kubeconfig = kubeconfigOf(recording, index);
        if (kubeconfig === undefined) continue;
        if (await isKnown(kubeconfig)) known[name] = kubeconfig;
        else unknown[name] = { kubeconfig: pulumi.unsecret(kubeconfig) };
    }
    return { known: pulumi.secret(pulumi.all(known).apply(encodeKubeconfigs)), unknown };
}

/** Plain where it is known: an Output would be recorded as a dependency for each cluster. */
async function identityOf(own: pulumi.Output<GroupedMember>): Promise<Record<string, unknown>> {
    const known = await knownValue(own);
    if (known !== undefined) return { identity: known.identity, neverSeen: known.neverSeen };
    return { identity: own.apply(({ identity }) => identity), neverSeen: own.apply(({ neverSeen }) => neverSeen) };
}

/** Of a cluster that is known: nodes that are absent are none, though the SDK takes what is absent in a preview for unknown. */
const nodesIn = async (group: MemberGroup, cluster: string): Promise<string> =>
    (await knownValue(group.nodesOf(cluster))) ?? "";

const viewOf = (group: MemberGroup, cluster: string, seen: pulumi.Output<MemberInputs>): MemberView => ({
    resource: group,
    nodesKnown: group.of(cluster),
    known: async () => {
        const own = await knownValue(group.of(cluster));
        if (own === undefined) return {};
        const id = await knownValue(group.id);
        const { asSeen, ...rest } = own;
        return {
            ...rest,
            nodes: asSeen === undefined ? await nodesIn(group, cluster) : (await knownValue(seen))?.nodes,
            claim: id === undefined ? undefined : claimInGroup(id, cluster),
        };
    },
});
