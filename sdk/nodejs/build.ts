import * as pulumi from "@pulumi/pulumi";
import { clusterList } from "../../provider/mesh/args/cluster-forms";
import { kubeconfigText } from "../../provider/mesh/args/kubeconfig-text";
import { linkedPairs } from "../../provider/mesh/args/topology";
import { parseMesh } from "../../provider/mesh/args/validate";
import type { ClusterSpec, Issue, SkipReason } from "../../provider/mesh/types";
import { NOTHING_SEEN, type Sight } from "../../provider/observe/look";
import { type MemberInputs, memberInputs } from "../../provider/observe/member-inputs";
import type { MeshPlan } from "../../provider/observe/plan-known";
import type { ClusterArgs } from "./args/cluster-args";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";
import type { Settings } from "./args/settings";
import { type ChildArgs, Member, MeshRecord, PeerSet } from "./children";
import { failAtTheEnd } from "./fail-at-the-end";
import { plainArgs } from "./plain-args";
import { planRun } from "./plan-run";
import { DEFAULT_REQUEST_TIMEOUT, seeAgain, seeMesh } from "./see-mesh";
import { joinSiblings, type KeysByTarget } from "./siblings";
import { targetInputs } from "./target-inputs";
import { withBriefStacks } from "./unpublished/brief-stacks";
import { startProviderHost } from "./unpublished/early-start";
import { inOurWords } from "./unpublished/in-our-words";
import { whenReady } from "./unpublished/known";
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
    const { clusters: _, topology, meshName: __, ...rest } = args;
    const clusters = clusterList<ClusterArgs>(args.clusters);
    const given = plainArgs(args);
    const plain = parseMesh({ mesh, ...given.known }, { partial: true, requireAccess: true });
    refuse(plain.issues);
    const memberName = ({ name: cluster }: ClusterArgs): string => `${name}-${cluster}`;
    const siblings = joinSiblings(
        mesh,
        clusters.map(memberName),
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
    const record = withBriefStacks(() => new MeshRecord(name, { mesh }, options));
    const members = clusters.map((cluster, index) => {
        const chain = holders(cluster, clusters).map((holder) => specs[clusters.indexOf(holder)]!);
        const seen = pulumi
            .all([specs[index]!, ...chain])
            .apply(async ([spec]): Promise<MemberInputs> => memberInputs(spec!, await sight));
        const args = {
            ...connectionOf(mesh, cluster, specs[index]!, settings, sight),
            nodes: seen.apply((found) => found.nodes),
            unreachable: seen.apply((found) => found.unreachable),
            unusable: seen.apply((found) => found.unusable),
            unusableFix: seen.apply((found) => found.unusableFix),
            identity: seen.apply((found) => found.identity),
            twin: seen.apply((found) => found.twin),
            rebuilt: seen.apply((found) => found.rebuilt),
            allowEmpty: specs[index]!.apply((spec) => spec.allowEmpty ?? false),
        };
        return withBriefStacks(() => new Member(memberName(cluster), args, options));
    });

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
    const owner = `${organization()}/${pulumi.getProject()}/${pulumi.getStack()}/${mesh}`;
    const position = new Map(clusters.map((cluster, index) => [cluster.name, index]));
    const peerSets = clusters.map((cluster, index) => {
        const own = members[index]!;
        const inputs = plan.then(({ targets, unseen }) => {
            const reason = unseen.find((each) => each.cluster === cluster.name)?.reason;
            return { unknown: targets[cluster.name]!.unknown, ...targetInputs(targets[cluster.name]!, reason) };
        });
        const args = {
            ...connectionOf(mesh, cluster, specs[index]!, settings, sight),
            claim: own.knownClaim(),
            meshId: record.id,
            identity: own.identity,
            neverSeen: own.neverSeen,
            owner,
            // Known source by source: what one cluster does not tell yet hides nothing of the others.
            peers: inputs.then(({ peers, unknown }) => ({
                ...Object.fromEntries((links[cluster.name] ?? []).flatMap((source) => entry(source, peers[source]))),
                ...Object.fromEntries(
                    unknown.map((source) => [source, notYet(members[position.get(source)!]!, own)] as const),
                ),
            })),
            repair: inputs.then(({ repair }) => repair),
            unlabelled: inputs.then(({ unlabelled }) => unlabelled),
            adopt: inputs.then(({ adopt }) => adopt),
            pending: inputs.then(({ pending }) => pending),
        };
        return withBriefStacks(() => new PeerSet(`${memberName(cluster)}-peers`, args, { ...options, parent: own }));
    });
    // Known when the nodes are, without the nodes: `all` would walk through thousands of them.
    const planned = pulumi.all(members.map((member) => member.nodes.apply(() => true))).apply(() => plan);
    failAtTheEnd(component, settings, peerSets, planned);
    return planned;
}

const entry = (source: string, lines: string | undefined): readonly (readonly [string, string])[] =>
    lines === undefined || lines === "" ? [] : [[source, lines]];

/** Unknown for as long as the source or the target is. */
const notYet = (source: Member, target: Member): pulumi.Output<string> =>
    pulumi.all([source.nodes, target.nodes]).apply(() => "");

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

/** Everything about a cluster, once all of it is known. It holds the kubeconfig, so it never becomes an input as it is. */
function resolveClusters(
    clusters: readonly ClusterArgs[],
    ready: pulumi.Output<unknown>,
): pulumi.Output<ClusterSpec>[] {
    return clusters.map((cluster) =>
        pulumi.unsecret(pulumi.all([pulumi.output(cluster), ready]).apply(([resolved]) => clusterSpec(resolved))),
    );
}

const clusterSpec = ({ kubeconfig, ...cluster }: pulumi.Unwrap<ClusterArgs>): ClusterSpec =>
    (kubeconfig === undefined ? cluster : { ...cluster, kubeconfig: kubeconfigText(kubeconfig) }) as ClusterSpec;

/** How both children reach the cluster. */
function connectionOf(
    mesh: string,
    cluster: ClusterArgs,
    spec: pulumi.Output<ClusterSpec>,
    settings: pulumi.Output<Settings>,
    sight: Promise<Sight>,
): ChildArgs {
    // what is wrong with the arguments is said once, and not by this property
    const fromSecret = async () => (await sight.catch(() => NOTHING_SEEN)).kubeconfigs[cluster.name];
    const given =
        cluster.kubeconfig === undefined ? undefined : pulumi.output(cluster.kubeconfig).apply(kubeconfigText);
    const kubeconfig = cluster.kubeconfigSecret === undefined ? given : spec.apply(fromSecret);
    return {
        mesh,
        cluster: cluster.name,
        ...(kubeconfig === undefined ? {} : { kubeconfig: pulumi.secret(kubeconfig) }),
        ...(cluster.context === undefined ? {} : { context: cluster.context }),
        ...(cluster.local === undefined ? {} : { local: cluster.local }),
        requestTimeout: settings.apply((found) => found.requestTimeout ?? DEFAULT_REQUEST_TIMEOUT),
        deleteUnreachable: settings.apply((found) => found.deleteUnreachable ?? false),
    };
}
