import * as pulumi from "@pulumi/pulumi";
import { clusterList } from "../../provider/mesh/args/cluster-forms";
import { kubeconfigText } from "../../provider/mesh/args/kubeconfig-text";
import { linkedPairs } from "../../provider/mesh/args/topology";
import { parseMesh } from "../../provider/mesh/args/validate";
import type { ClusterSpec, Issue, SkipReason } from "../../provider/mesh/types";
import type { Sight } from "../../provider/observe/look";
import { type MemberInputs, memberInputs } from "../../provider/observe/member-inputs";
import type { MeshPlan } from "../../provider/observe/plan-known";
import type { ClusterArgs } from "./args/cluster-args";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";
import { MeshRecord } from "./children";
import { failAtTheEnd, failing } from "./fail-at-the-end";
import { groupedLayout } from "./grouped-layout";
import type { MemberView, PeerInputs } from "./layout";
import { lateFields, plainArgs } from "./plain-args";
import { planRun } from "./plan-run";
import { seeAgain, seeMesh } from "./see-mesh";
import { joinSiblings, type KeysByTarget } from "./siblings";
import { singleLayout } from "./single-layout";
import { targetInputs } from "./target-inputs";
import { withBriefStacks } from "./unpublished/brief-stacks";
import { startProviderHost } from "./unpublished/early-start";
import { inOurWords } from "./unpublished/in-our-words";
import { knownValue, whenReady } from "./unpublished/known";
import { warn } from "./warnings";
import { describeErrors } from "./words";

/** Registers the record, members and peer sets of a mesh and returns what came of it. */
export function buildMesh(
    component: pulumi.ComponentResource,
    name: string,
    args: ClusterMeshArgs,
    opts: pulumi.ComponentResourceOptions,
): pulumi.Output<MeshPlan> {
    const mesh = args.meshName ?? name;
    const refuse = (issues: readonly Issue[]): void => {
        const errors = issues.filter(({ severity }) => severity === "error");
        if (errors.length > 0) throw inOurWords(describeErrors(mesh, errors), component);
    };
    const { clusters: _, topology, meshName: __, grouped, ...rest } = args;
    const clusters = clusterList<ClusterArgs>(args.clusters);
    const given = plainArgs(args);
    const plain = parseMesh({ mesh, ...given.known }, { partial: true, requireAccess: true });
    refuse(plain.issues);
    const memberName = ({ name: cluster }: ClusterArgs): string => `${name}-${cluster}`;
    const siblings = joinSiblings(
        mesh,
        grouped === true ? [] : clusters.map(memberName),
        plain.mesh,
        given.isAll && opts.dependsOn === undefined,
    );
    refuse(siblings.childIssues);
    startProviderHost();

    const settings = pulumi.output(rest);
    const specs = resolveClusters(clusters, pulumi.all([settings, whenReady(opts.dependsOn)]));
    const sight = seeMesh({
        mesh,
        args,
        component,
        settings,
        specs,
        approve: (parsed) => {
            refuse(parsed.issues);
            refuse(siblings.check(parsed.mesh));
        },
    });

    const options = {
        parent: component,
        ...(opts.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn }),
        ...(opts.retainOnDelete === undefined ? {} : { retainOnDelete: opts.retainOnDelete }),
    };
    const record = withBriefStacks(
        () => new MeshRecord(name, { mesh, ...(grouped === true ? { grouped } : {}) }, options),
    );
    const seen = clusters.map((cluster, index) => {
        const chain = holders(cluster, clusters).map((holder) => specs[clusters.indexOf(holder)]!);
        return pulumi.all([specs[index]!, ...chain]).apply(async ([spec]): Promise<MemberInputs> => {
            const inputs = memberInputs(spec!, await sight);
            // where the record is refused nothing else is made
            await knownValue(record.urn);
            return inputs;
        });
    });
    const owner = `${organization()}/${pulumi.getProject()}/${pulumi.getStack()}/${mesh}`;
    const recording = { name, mesh, clusters, specs, seen, settings, sight, record, owner, options };
    const { members, ownPeers } = (grouped === true ? groupedLayout : singleLayout)(recording);

    const plan = sight
        .then((seen) =>
            planRun({
                mesh,
                meshId: record.id,
                topology,
                clusters: clusters.map((cluster) => cluster.name),
                settings,
                specs,
                members,
                sight: seen,
                lookAgain: seeAgain(settings),
            }),
        )
        .then(async (planned) => {
            refuse(await siblings.settle(keysOf(planned, await sight)));
            return planned;
        })
        .finally(siblings.giveUp);
    warn(component, clusters, members, plan);

    const links = linkedPairs(
        clusters.map((cluster) => cluster.name),
        topology,
    );
    const position = new Map(clusters.map((cluster, index) => [cluster.name, index]));
    const peersWritten = ownPeers(
        clusters.map(async (cluster, index): Promise<PeerInputs> => {
            const { targets, unseen } = await plan;
            const { unknown } = targets[cluster.name]!;
            const reason = unseen.find((each) => each.cluster === cluster.name)?.reason;
            const inputs = targetInputs(targets[cluster.name]!, reason);
            return {
                ...inputs,
                // Known source by source: what one cluster does not tell yet hides nothing of the others.
                peers: {
                    ...Object.fromEntries(
                        (links[cluster.name] ?? []).flatMap((source) => entry(source, inputs.peers[source])),
                    ),
                    ...Object.fromEntries(
                        unknown.map(
                            (source) => [source, notYet(members[position.get(source)!]!, members[index]!)] as const,
                        ),
                    ),
                },
            };
        }),
        plan.then(async ({ unseen }) => failing((await knownValue(settings)) ?? {}, unseen).length > 0),
    );
    // Known when the nodes are, without the nodes: `all` would walk through thousands of them.
    const planned = pulumi.all(members.map(({ nodesKnown }) => nodesKnown.apply(() => true))).apply(() => plan);
    failAtTheEnd(component, settings, peersWritten, planned);
    return planned;
}

const entry = (source: string, lines: string | undefined): readonly (readonly [string, string])[] =>
    lines === undefined || lines === "" ? [] : [[source, lines]];

/** Unknown for as long as the source or the target is. */
const notYet = (source: MemberView, target: MemberView): pulumi.Output<string> =>
    pulumi.all([source.nodesKnown, target.nodesKnown]).apply(() => "");

/** Mocks need not name one; backends without organizations call it this. */
function organization(): string {
    try {
        return pulumi.getOrganization();
    } catch {
        return "organization";
    }
}

/** The clusters whose Secrets lead to this one's kubeconfig, nearest first. */
function holders(cluster: ClusterArgs, clusters: readonly ClusterArgs[]): readonly ClusterArgs[] {
    const found: ClusterArgs[] = [];
    let holder = clusters.find(({ name }) => name === cluster.kubeconfigSecret?.cluster);
    while (holder !== undefined && !found.includes(holder)) {
        found.push(holder);
        const next: string | undefined = holder.kubeconfigSecret?.cluster;
        holder = clusters.find(({ name }) => name === next);
    }
    return found;
}

/**
 * What a mesh writes, and what it would but for a peer that is not its own: another mesh of the program may have written
 * that one already. Two names of one cluster are one target.
 */
function keysOf({ targets, skipped, facts }: MeshPlan, { identities }: Sight): KeysByTarget {
    const keys = new Map<string, Set<string>>();
    const add = (target: string, key: string | undefined): void => {
        const identity = identities[target] ?? target;
        const found = keys.get(identity) ?? new Set();
        keys.set(identity, found);
        if (key !== undefined) found.add(key);
    };
    for (const [target, { peers }] of Object.entries(targets)) {
        for (const ofSource of peers.values()) for (const { spec } of ofSource.values()) add(target, spec.publicKey);
    }
    for (const { cluster, node, reason, target } of skipped) {
        if (target === undefined || !WITHHELD.has(reason)) continue;
        add(target, facts[cluster]?.find(({ name }) => name === node)?.key);
    }
    return keys;
}

const WITHHELD: ReadonlySet<SkipReason> = new Set(["PeerKeyForeign", "PeerNameForeign", "PeerNetworkForeign"]);

/**
 * Everything about a cluster, once all of it is known. It holds the kubeconfig, so it never becomes an input as it is. Only what comes
 * late becomes an Output: one for each plain value of hundreds of clusters takes tens of megabytes.
 */
function resolveClusters(
    clusters: readonly ClusterArgs[],
    ready: pulumi.Output<unknown>,
): pulumi.Output<ClusterSpec>[] {
    return clusters.map((cluster) => {
        const late = lateFields(cluster);
        // as it is now: the program may go on and change it
        const given = Object.fromEntries(
            Object.entries(cluster).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]),
        );
        const spec = (found: object): ClusterSpec => clusterSpec({ ...given, ...found } as pulumi.Unwrap<ClusterArgs>);
        return pulumi.unsecret(
            Object.keys(late).length === 0
                ? ready.apply(() => spec({}))
                : pulumi.all([pulumi.output(late), ready]).apply(([found]) => spec(found)),
        );
    });
}

const clusterSpec = ({ kubeconfig, ...cluster }: pulumi.Unwrap<ClusterArgs>): ClusterSpec =>
    (kubeconfig === undefined ? cluster : { ...cluster, kubeconfig: kubeconfigText(kubeconfig) }) as ClusterSpec;
