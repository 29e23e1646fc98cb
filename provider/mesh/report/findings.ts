import type { Fix } from "../../values/fix";
import { byText, count, few, shown } from "../../values/show";
import type { Issue, Severity } from "../types";
import { ARGUMENT_FINDINGS } from "./argument-findings";

/** What a finding says, once its particulars are known. */
export interface Rendered {
    readonly severity: Severity;
    readonly path: string;
    readonly message: string;
    readonly fix: Fix;
}

/** Nodes without a location are one of their own. */
const place = (location: string, cluster: string): string =>
    location === "" ? shown(cluster) : `location ${shown(location)} of ${shown(cluster)}`;

const names = (list: readonly string[]): string => few(list.map(shown));

interface OfCluster {
    readonly cluster: string;
}
interface OfNodes extends OfCluster {
    readonly nodes: readonly string[];
}
interface OfPeer extends OfCluster {
    readonly node: string;
    readonly target: string;
}

/** Findings about clusters, nodes and peers: code to words. Those about arguments are in a file of their own. */
const MESH_FINDINGS = {
    AcceptsNothing: ({ cluster }: OfCluster): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `acceptedNetworks of ${shown(cluster)} lets nothing in: no peer is written into it`,
        fix: "List the networks that it should accept, or remove acceptedNetworks",
    }),
    AcceptedNothingOf: ({ cluster, target }: OfCluster & { readonly target: string }): Rendered => ({
        severity: "warning",
        path: `${target}/${cluster}`,
        message: `acceptedNetworks of ${shown(target)} has nothing of ${shown(cluster)}: no peer of it is written there`,
        fix: "Add a range of that cluster to acceptedNetworks, or take the link out of the topology",
    }),
    ClusterEmpty: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${shown(cluster)} lists no nodes, though it had some (${names(nodes)}): their peers are kept`,
        fix: "Set allowEmpty: true on the cluster if it is meant to be empty",
    }),
    ClusterNoNodes: ({ cluster }: OfCluster): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${shown(cluster)} has no node that Kilo has set up: it has no peers in the other clusters yet`,
        fix: "Wait until Kilo runs there and run `pulumi up` again, or set waitForNodes",
    }),
    ClusterSilent: ({
        cluster,
        reason,
        fix,
        since,
    }: OfCluster & { readonly reason: string; readonly fix: Fix; readonly since: string }): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${reason} (${since}). Its last known nodes keep their peers, and its own peers stay as they are`,
        fix: `${fix}. The next \`pulumi up\` tries again`,
    }),
    ClusterUnusable: ({
        cluster,
        reason,
        fix,
        since,
    }: OfCluster & { readonly reason: string; readonly fix: Fix; readonly since: string }): Rendered => ({
        severity: "error",
        path: cluster,
        message: `${reason} (${since}). Its last known nodes keep their peers, and its own peers stay as they are`,
        fix,
    }),
    ClusterUnlinked: ({ cluster }: OfCluster): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${shown(cluster)} is linked with no other cluster`,
        fix: "Name it in topology.links or topology.hubs, or remove it",
    }),
    EndpointUnresolvable: ({ cluster, node, target, dns }: OfPeer & { readonly dns: string }): Rendered => ({
        severity: "warning",
        path: `${cluster}/${node}`,
        message: `the endpoint ${shown(dns)} of ${shown(node)} of ${shown(cluster)} does not resolve; its peer in ${shown(target)} is kept`,
        fix: "Fix the DNS record before Kilo restarts there: it stops configuring anything while a name fails",
    }),
    ExcludedNodeUnknown: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `excludeNodes of ${shown(cluster)} names ${names(nodes)}, which it does not have`,
        fix: "Correct the name, or remove it from excludeNodes",
    }),
    GranularityUnknown: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "info",
        path: cluster,
        message: `${count(nodes.length, "node")} of ${shown(cluster)} (${names(nodes)}) without a known kilo.squat.ai/granularity: one peer per node`,
        fix: "Do nothing if Kilo runs there with full granularity; otherwise check why it did not annotate them",
    }),
    LeaderCannotLend: ({
        cluster,
        node,
        location,
        leader,
        why,
    }: OfCluster & Record<"node" | "location" | "leader" | "why", string>): Rendered => ({
        severity: "warning",
        path: `${cluster}/${node}`,
        message: `${shown(leader)} leads ${place(location, cluster)} but ${why}: ${shown(node)} stands in for it, and may not answer`,
        fix: `Correct ${shown(leader)}, then run \`pulumi up\` again`,
    }),
    LeaderExcluded: ({
        cluster,
        location,
        leader,
        nodes,
        next,
    }: OfNodes & Record<"location" | "leader", string> & { readonly next: string | undefined }): Rendered => ({
        severity: "warning",
        path: `${cluster}/${leader}`,
        message: `excludeNodes has ${shown(leader)}, which leads ${place(location, cluster)}: its key is not used, so ${names(nodes)} there cannot be reached until Kilo lets another node lead`,
        fix: `Remove ${shown(leader)} from its cluster${next === undefined ? "" : `, or take kilo.squat.ai/leader off it and put it on ${shown(next)}`}; then run \`pulumi up\` again`,
    }),
    LeaderMoved: ({
        cluster,
        location,
        from,
        to,
    }: OfCluster & Record<"location" | "from" | "to", string>): Rendered => ({
        severity: "info",
        path: `${cluster}/${to}`,
        message: `leader of ${place(location, cluster)}: ${shown(from)} → ${shown(to)}`,
        fix: "Do nothing: the peer of the location follows the leader that Kilo chooses",
    }),
    NatToNat: ({ cluster, others }: OfCluster & { readonly others: readonly string[] }): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${shown(cluster)} and ${names(others)} are all behind NAT: no tunnel between them can open`,
        fix: "Link them through a hub that has public endpoints, or set nat: false where an endpoint can be reached",
    }),
    NatWithoutKeepalive: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${shown(cluster)} is behind NAT, but ${count(nodes.length, "node")} (${names(nodes)}) will not dial: no tunnel to them opens by itself`,
        fix: "Annotate its nodes with kilo.squat.ai/persistent-keepalive=25",
    }),
    NetworkForeign: ({
        cluster,
        target,
        network,
        user,
        held,
    }: OfCluster & Record<"target" | "network" | "user", string> & { readonly held: boolean }): Rendered => ({
        severity: held ? "error" : "warning",
        path: `${target}/${cluster}`,
        message: `${network} of ${shown(cluster)} overlaps ${user} in ${shown(target)}: ${held ? "our peer that has it stays as it is" : "it is not routed there"}`,
        fix: "Remove what overlaps there, or take the range out of the source's networks",
    }),
    NodeAddressLeftOut: ({
        cluster,
        target,
        addresses,
    }: OfCluster & { readonly target: string; readonly addresses: readonly string[] }): Rendered => ({
        severity: "info",
        path: `${target}/${cluster}`,
        message: `${few(addresses)} of ${shown(cluster)} not routed in ${shown(target)}: a tunnel ends there, and a route to its own end would break it`,
        fix: "Do nothing: pods are reached; from the host network these nodes are reached by their own address",
    }),
    NodeFactsKept: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `facts are missing or malformed on ${count(nodes.length, "node")} of ${shown(cluster)}: ${few(nodes)}. What was last known is used`,
        fix: "Do nothing if Kilo is being restarted there; otherwise check the annotations and why Kilo does not run on them",
    }),
    NodeStale: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `${count(nodes.length, "node")} of ${shown(cluster)} (${names(nodes)}) not seen by Kilo for a minute or more; their peers are kept`,
        fix: "Check the Kilo pods there; if every node is listed, compare the clocks of the nodes and the API server",
    }),
    PeerContested: ({ cluster, node, target, peer, why }: OfPeer & Record<"peer" | "why", string>): Rendered => ({
        severity: "error",
        path: `${cluster}/${node}`,
        message: `${peer} in ${shown(target)} stays as it is: ${why}`,
        fix: "Remove the peer or node named above, or take the range or key away from it: our peer may stop working while both claim it",
    }),
    PeerHeld: ({ cluster, node, target, peer, why }: OfPeer & Record<"peer" | "why", string>): Rendered => ({
        severity: "warning",
        path: `${cluster}/${node}`,
        message: `${peer} in ${shown(target)} keeps what it has, because of ${shown(node)}: ${why}`,
        fix: "Correct the node; its peer follows with the next `pulumi up`",
    }),
    PeerUnclaimed: ({ target, peers }: { readonly target: string; readonly peers: readonly string[] }): Rendered => ({
        severity: "warning",
        path: target,
        message: `the labels of ${names(peers)} in ${shown(target)} are gone: restored where the object is the one that we wrote, else left alone`,
        fix: "Find out who removed them; `pulumi up` tells which were restored",
    }),
    SelectorEmpty: ({ cluster }: OfCluster): Rendered => ({
        severity: "warning",
        path: cluster,
        message: `nodeSelector, excludeNodes and opt-outs leave no node of ${shown(cluster)}`,
        fix: "Correct nodeSelector or excludeNodes, or label the nodes that should be meshed",
    }),
    SourceKept: ({
        cluster,
        target,
        peers,
    }: OfCluster & { readonly target: string; readonly peers: readonly string[] }): Rendered => ({
        severity: "warning",
        path: `${target}/${cluster}`,
        message: `${count(peers.length, "peer")} of ${shown(cluster)} in ${shown(target)} (${names(peers)}) kept as found: nothing is known of their nodes`,
        fix: "Do nothing: they are judged as soon as the cluster answers",
    }),
    TooManyPeers: ({
        target,
        peers,
        limit,
        kib,
    }: {
        readonly target: string;
        readonly peers: number;
        readonly limit: number;
        readonly kib: number;
    }): Rendered => ({
        severity: "warning",
        path: target,
        message: `${shown(target)} gets ${count(peers, "peer")}, more than ${limit}; each of its nodes configures about ${kib} KiB of WireGuard`,
        fix: "Use hubs or links, location granularity in the sources, or raise peerWarning",
    }),
    WireguardAddressLeftOut: ({ cluster, nodes }: OfNodes): Rendered => ({
        severity: "info",
        path: cluster,
        message: `no WireGuard address of ${shown(cluster)} is advertised for ${few(nodes)}`,
        fix: "Run again in a minute: Kilo writes addresses up to 30 seconds late; if it stays, compare wireguardCIDR with Kilo's --subnet",
    }),
};

const FINDINGS = { ...ARGUMENT_FINDINGS, ...MESH_FINDINGS };

/** Every code that an issue can have. */
export type IssueCode = keyof typeof FINDINGS;

/** What a finding with this code needs to be told. */
export type Particulars<C extends IssueCode> = Parameters<(typeof FINDINGS)[C]>[0];

export const ISSUE_CODES = Object.keys(FINDINGS).sort() as readonly IssueCode[];

/** The one place where a finding becomes words. */
export function issue<C extends IssueCode>(code: C, particulars: Particulars<C>): Issue {
    const render = FINDINGS[code] as (particulars: Particulars<C>) => Rendered;
    return { code, ...render(particulars) };
}

export function hasErrors(issues: readonly Issue[]): boolean {
    return issues.some(({ severity }) => severity === "error");
}

/** By path, with `clusters[2]` before `clusters[10]`, then by code and message. */
export function sortIssues(issues: readonly Issue[]): readonly Issue[] {
    const keyed = issues.map((found) => ({ found, key: found.path.replace(/\d{1,6}/g, (n) => n.padStart(6, "0")) }));
    keyed.sort(
        (a, b) =>
            byText(a.key, b.key) ||
            byText(a.found.path, b.found.path) ||
            byText(a.found.code, b.found.code) ||
            byText(a.found.message, b.found.message),
    );
    return keyed.map(({ found }) => found);
}
