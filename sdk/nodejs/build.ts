import * as pulumi from "@pulumi/pulumi";
import { linkedPairs } from "../../provider/mesh/args/topology";
import { parseMesh } from "../../provider/mesh/args/validate";
import type { ClusterSpec, Issue } from "../../provider/mesh/types";
import { joinLines } from "../../provider/state/line-list";
import type { ClusterArgs, ClusterMeshArgs, Settings } from "./args";
import { type ChildArgs, Member, PeerSet } from "./children";
import { plainArgs } from "./early";
import { look, NOTHING_SEEN, type Seen, type Sight } from "./observation";
import { type MeshPlan, planRun } from "./plan-run";
import { joinSiblings } from "./siblings";
import { withBriefStacks } from "./unpublished/brief-stacks";
import { startProviderHost } from "./unpublished/early-start";
import { knownValue, whenReady } from "./unpublished/known";
import { isMocked } from "./unpublished/mocked";
import { warn } from "./warnings";
import { describeErrors } from "./words";

const DEFAULT_REQUEST_TIMEOUT = 10;

/** Registers the members and peer sets of a mesh and returns what came of it. */
export function buildMesh(
    component: pulumi.ComponentResource,
    name: string,
    args: ClusterMeshArgs,
    opts: pulumi.ComponentResourceOptions,
): pulumi.Output<MeshPlan> {
    const mesh = args.meshName ?? name;
    const refuse = (issues: readonly Issue[]): void => {
        const errors = issues.filter(({ severity }) => severity === "error");
        if (errors.length > 0) throw new pulumi.ResourceError(describeErrors(mesh, errors), component, true);
    };
    const plain = parseMesh({ mesh, ...plainArgs(args) }, { partial: true, requireAccess: true });
    refuse(plain.issues);
    const collisions = joinSiblings(plain.mesh);
    startProviderHost();

    const { clusters, topology, meshName: _, ...rest } = args;
    const settings = pulumi.output(rest);
    const specs = resolveClusters(clusters, pulumi.all([settings, whenReady(opts.dependsOn)]));
    const sight = seeMesh(component, mesh, args, settings, specs, (parsed) => {
        refuse(parsed.issues);
        refuse(collisions(parsed.mesh));
    });

    const childOptions = {
        parent: component,
        ...(opts.dependsOn === undefined ? {} : { dependsOn: opts.dependsOn }),
        ...(opts.retainOnDelete === undefined ? {} : { retainOnDelete: opts.retainOnDelete }),
    };
    const position = new Map(clusters.map((cluster, index) => [cluster.name, index]));
    const connections = clusters.map((cluster, index) =>
        connectionOf(mesh, cluster, specs[index]!, settings, async () => (await sight).kubeconfigs[cluster.name]),
    );
    const members = clusters.map((cluster, index) => {
        const secret = cluster.kubeconfigSecret;
        const holder = secret === undefined ? [] : [specs[position.get(secret.cluster)!]!];
        const seen = pulumi
            .all([specs[index]!, ...holder])
            .apply(async (): Promise<Seen> => (await sight).clusters[cluster.name] ?? EMPTY);
        const given = {
            ...connections[index]!,
            nodes: seen.apply((found) => (found.reachable ? joinLines(found.nodes) : undefined)),
            unreachable: seen.apply((found) => (found.reachable ? undefined : found.reason)),
            allowEmpty: specs[index]!.apply((spec) => spec.allowEmpty ?? false),
        };
        return withBriefStacks(() => new Member(`${name}-${cluster.name}`, given, childOptions));
    });

    // Known when the nodes are, without the nodes: `all` would walk through thousands of them for every target.
    const registered = members.map((member) => member.nodes.apply(() => true));
    const owner = `${organization()}/${pulumi.getProject()}/${pulumi.getStack()}/${mesh}`;
    const plan = planRun({ mesh, owner, clusters, topology, settings, specs, members, sight });
    warn(component, clusters, members, plan);

    const links = linkedPairs(
        clusters.map((cluster) => cluster.name),
        topology,
    );
    const peerSets = clusters.map((cluster, index) => {
        const sources = (links[cluster.name] ?? []).map((source) => registered[position.get(source)!]!);
        const target = pulumi
            .all([specs[index]!, registered[index]!, pulumi.all(sources)])
            .apply(async () => (await plan).targets[cluster.name]!);
        const given = {
            ...connections[index]!,
            claim: members[index]!.claim,
            owner,
            peers: target.apply(({ peers }) => peers),
            repair: target.apply(({ repair }) => repair),
            adopt: target.apply(({ adopt }) => adopt),
            pending: target.apply(({ pending }) => pending),
        };
        const options = { ...childOptions, parent: members[index]! };
        return withBriefStacks(() => new PeerSet(`${name}-${cluster.name}-peers`, given, options));
    });
    const planned = pulumi.all(registered).apply(() => plan);
    failAtTheEnd(component, settings, peerSets, planned);
    return planned;
}

/** Mocks need not name one; backends without organizations call it this. */
function organization(): string {
    try {
        return pulumi.getOrganization();
    } catch {
        return "organization";
    }
}

const EMPTY: Seen = { reachable: true, nodes: {}, discovered: {}, peers: [] };

/** Everything about a cluster, once all of it is known. It holds the kubeconfig, so it never becomes an input as it is. */
function resolveClusters(
    clusters: readonly ClusterArgs[],
    ready: pulumi.Output<unknown>,
): pulumi.Output<ClusterSpec>[] {
    return clusters.map((cluster) =>
        pulumi.unsecret(pulumi.all([pulumi.output(cluster), ready]).apply(([resolved]) => resolved as ClusterSpec)),
    );
}

/** Validates what is known by now and reads the clusters: once per run, shared by all children. */
async function seeMesh(
    component: pulumi.Resource,
    mesh: string,
    args: ClusterMeshArgs,
    settings: pulumi.Output<Settings>,
    specs: readonly pulumi.Output<ClusterSpec>[],
    approve: (parsed: ReturnType<typeof parseMesh>) => void,
): Promise<Sight> {
    const values = await Promise.all(specs.map(knownValue));
    const resolved = (await knownValue(settings)) ?? {};
    const known = values.filter((spec) => spec !== undefined);
    const { clusters: _, ...plain } = { ...args, ...resolved };
    const parsed = parseMesh(
        {
            ...definedOnly(plain),
            mesh,
            clusters: values.map((spec, index) => spec ?? { name: args.clusters[index]!.name }),
        },
        { partial: known.length < values.length, requireAccess: known.length === values.length },
    );
    approve(parsed);
    if (isMocked()) return NOTHING_SEEN;
    const names = new Set(known.map((spec) => spec.name));
    const sight = await look(
        known.filter(({ kubeconfigSecret }) => kubeconfigSecret === undefined || names.has(kubeconfigSecret.cluster)),
        resolved.requestTimeout ?? DEFAULT_REQUEST_TIMEOUT,
    );
    if (sight.refusals.length > 0) {
        throw new pulumi.ResourceError(
            `mesh ${mesh}: nothing was written\n  - ${sight.refusals.join("\n  - ")}`,
            component,
            true,
        );
    }
    return sight;
}

const definedOnly = (bag: object): object =>
    Object.fromEntries(Object.entries(bag).filter(([key, value]) => value !== undefined && key !== "meshName"));

function connectionOf(
    mesh: string,
    cluster: ClusterArgs,
    spec: pulumi.Output<ClusterSpec>,
    settings: pulumi.Output<Settings>,
    fromSecret: () => Promise<string | undefined>,
): ChildArgs {
    const kubeconfig = cluster.kubeconfigSecret === undefined ? cluster.kubeconfig : spec.apply(fromSecret);
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

/** `onUnreachable: "fail"`: everything that can be done is done first, then the run fails. Previews only warn. */
function failAtTheEnd(
    component: pulumi.Resource,
    settings: pulumi.Output<Settings>,
    peerSets: readonly PeerSet[],
    planned: pulumi.Output<MeshPlan>,
): void {
    const written = pulumi.all(peerSets.map((set) => set.ledger));
    const silent = planned.apply(({ unreachable }) => unreachable);
    pulumi.all([settings, silent, written]).apply(([{ onUnreachable }, unreachable]) => {
        if (onUnreachable !== "fail" || unreachable.length === 0 || pulumi.runtime.isDryRun()) return;
        const lines = unreachable.map(({ reason }) => reason);
        throw new pulumi.ResourceError(
            `the other clusters are done, but onUnreachable is "fail" and these did not answer:\n  - ${lines.join("\n  - ")}`,
            component,
            true,
        );
    });
}
