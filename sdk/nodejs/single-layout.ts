import { type ChildArgs, Member, PeerSet, type SharedArgs } from "./children";
import { kubeconfigOf, sharedArgs } from "./connection-args";
import type { Layout, MemberView, Recording } from "./layout";
import { withBriefStacks } from "./unpublished/brief-stacks";
import { knownValue } from "./unpublished/known";

/** Two resources for each cluster: a member, and the peer set that is its child. */
export function singleLayout(recording: Recording): Layout {
    const { name, clusters, specs, seen, record, owner, options } = recording;
    const shared = sharedArgs(recording);
    const members = clusters.map((cluster, index) => {
        const found = seen[index]!;
        const args = {
            ...shared,
            ...connectionOf(recording, index),
            nodes: found.apply(({ nodes }) => nodes),
            unreachable: found.apply(({ unreachable }) => unreachable),
            unusable: found.apply(({ unusable }) => unusable),
            unusableFix: found.apply(({ unusableFix }) => unusableFix),
            identity: found.apply(({ identity }) => identity),
            twin: found.apply(({ twin }) => twin),
            rebuilt: found.apply(({ rebuilt }) => rebuilt),
            allowEmpty: specs[index]!.apply((spec) => spec.allowEmpty ?? false),
        };
        return withBriefStacks(() => new Member(`${name}-${cluster.name}`, args, options));
    });
    return {
        members: members.map(viewOf),
        ownPeers: (inputs) =>
            clusters.map((cluster, index) => {
                const own = members[index]!;
                const wanted = inputs[index]!;
                const args = {
                    ...shared,
                    ...connectionOf(recording, index),
                    claim: own.knownClaim(),
                    meshId: record.id,
                    identity: own.identity,
                    neverSeen: own.neverSeen,
                    owner,
                    peers: wanted.then(({ peers }) => peers),
                    repair: wanted.then(({ repair }) => repair),
                    unlabelled: wanted.then(({ unlabelled }) => unlabelled),
                    adopt: wanted.then(({ adopt }) => adopt),
                    pending: wanted.then(({ pending }) => pending),
                };
                return withBriefStacks(
                    () => new PeerSet(`${name}-${cluster.name}-peers`, args, { ...options, parent: own }),
                ).ledger;
            }),
    };
}

const viewOf = (member: Member): MemberView => ({
    resource: member,
    nodesKnown: member.nodes,
    known: async () => ({
        nodes: await knownValue(member.nodes),
        claim: await knownValue(member.knownClaim()),
        unreachableSince: await knownValue(member.unreachableSince),
        unusable: await knownValue(member.unusable),
        unusableFix: await knownValue(member.unusableFix),
        unusableSince: await knownValue(member.unusableSince),
    }),
});

/** How both children reach the cluster. */
function connectionOf(recording: Recording, index: number): Omit<ChildArgs, keyof SharedArgs> {
    const { name: cluster, context, local } = recording.clusters[index]!;
    const kubeconfig = kubeconfigOf(recording, index);
    return {
        cluster,
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
        ...(local === undefined ? {} : { local }),
    };
}
