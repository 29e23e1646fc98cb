import { type SeenCluster, type Sight, sightOf, type UnseenCluster } from "../../../../cli/sight";
import { type LivePeer, readPeer } from "../../../../provider/kilo/peer";
import type { KubeNode } from "../../../../provider/kilo/types";
import type { ReviewedPermission } from "../../../../provider/kube/access-review";
import { planMesh } from "../../../../provider/mesh/plan-mesh";
import type { ClusterSpec, MeshSpec, PlannedPeer, Topology } from "../../../../provider/mesh/types";
import type { Observation } from "../../../../provider/observe/observe-clusters";
import { CLAIM_LABEL } from "../../../../provider/values/labels";
import { clusterNetworks } from "../../../../tools/clusters/networks";
import { type NodeSpec, nodeObject, nodeSpecs, publicKey } from "../../../../tools/clusters/node-spec";

export const NOW = 1_767_225_600;

/** A mesh in memory, as one look at its clusters would find it right after `pulumi up`. */
export interface Scenario {
    readonly mesh: MeshSpec;
    readonly sight: Sight;
}

export interface ScenarioOptions {
    readonly names?: readonly string[];
    readonly nodes?: number;
    readonly topology?: Topology;
    /** Changes to a cluster's arguments. */
    readonly specs?: Readonly<Record<string, Partial<ClusterSpec>>>;
    /** Changes to a cluster's nodes, before the mesh is made. */
    readonly node?: Readonly<Record<string, Partial<NodeSpec>>>;
}

const NAMES = ["hub", "berlin", "tokyo"];

export function healthy(options: ScenarioOptions = {}): Scenario {
    const names = options.names ?? NAMES;
    const clusters = names.map((name, index): ClusterSpec => {
        const { podCIDR, serviceCIDR } = clusterNetworks(index);
        return {
            name,
            kubeconfig: `${name}.kubeconfig`,
            podCIDRs: [podCIDR],
            serviceCIDR,
            ...options.specs?.[name],
        };
    });
    const mesh: MeshSpec = {
        mesh: "global",
        clusters,
        ...(options.topology === undefined ? {} : { topology: options.topology }),
    };
    const nodes = Object.fromEntries(
        names.map((name, index) => [
            name,
            nodeSpecs({ name }, options.nodes ?? 3, { lastSeen: NOW - 10 }).map((spec) =>
                nodeObject({ name, index }, { ...spec, ...options.node?.[spec.name] }),
            ),
        ]),
    );
    const claims = Object.fromEntries(names.map((name) => [name, `claim-${name}`]));
    const { peers } = planMesh({ ...mesh, nodes, claims, meshId: "mesh-1", now: NOW });
    const sight: Sight = {
        clusters: Object.fromEntries(
            clusters.map((spec) => {
                const planned = peers[spec.name] ?? {};
                const found: Found = {
                    ok: true,
                    nodes: withHandshakes(nodes[spec.name]!, Object.values(planned)),
                    peers: Object.entries(planned).map(([peer, value]) => livePeer(peer, value)),
                    at: NOW,
                    identity: `uid-${spec.name}`,
                };
                return [spec.name, sightOf(spec, found)];
            }),
        ),
        unresolvable: [],
        resolved: {},
        permissions: Object.fromEntries(names.map((name) => [name, permissions()])),
    };
    return { mesh, sight };
}

export function livePeer(name: string, { labels, annotations, spec }: PlannedPeer): LivePeer {
    const owner = "kilo-clustermesh.io/owner";
    const metadata = { uid: `uid-${name}`, labels, annotations: { ...annotations, [owner]: "acme/net/prod/global" } };
    return readPeer({ metadata: { name, ...metadata }, spec })!;
}

/** Every node saw every peer where it is configured to be. */
function withHandshakes(nodes: readonly KubeNode[], peers: readonly PlannedPeer[]): readonly KubeNode[] {
    const seen = Object.fromEntries(
        peers.map(({ spec }) => [
            spec.publicKey,
            { IP: spec.endpoint?.dnsOrIP.ip ?? "198.51.100.7", Port: spec.endpoint?.port ?? 51820, Zone: "" },
        ]),
    );
    return nodes.map((node) => annotated(node, { "kilo.squat.ai/discovered-endpoints": JSON.stringify(seen) }));
}

export const annotated = (node: KubeNode, annotations: Readonly<Record<string, string>>): KubeNode => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...node.metadata?.annotations, ...annotations } },
});

export const permissions = (denied: readonly string[] = []): readonly ReviewedPermission[] =>
    [
        ["list", "", "nodes"],
        ...["get", "list", "create", "patch", "delete"].map((verb) => [verb, "kilo.squat.ai", "peers"]),
        ["get", "", "namespaces"],
    ].map(([verb, group, resource]) => ({
        verb: verb!,
        group: group!,
        resource: resource!,
        ...(resource === "namespaces" ? { name: "kube-system" } : {}),
        allowed: !denied.includes(`${verb} ${resource}`),
    }));

type Found = SeenCluster["found"];
export type Failed = UnseenCluster["found"];

/** The scenario with what was read of one cluster changed. */
export function withCluster(scenario: Scenario, name: string, change: (found: Found) => Observation): Scenario {
    const spec = scenario.mesh.clusters.find((cluster) => cluster.name === name)!;
    const before = scenario.sight.clusters[name]!.found as Found;
    const clusters = { ...scenario.sight.clusters, [name]: sightOf(spec, change(before)) };
    return { ...scenario, sight: { ...scenario.sight, clusters } };
}

/** The same clusters before the first `pulumi up`. */
export const unmeshed = (scenario: Scenario): Scenario =>
    scenario.mesh.clusters.reduce(
        (all, { name }) => withCluster(all, name, (found) => ({ ...found, peers: [] })),
        scenario,
    );

/** tokyo could not be read. */
function failing(found: Failed): Scenario {
    const { mesh, sight } = withCluster(healthy(), "tokyo", () => found);
    const { tokyo: _, ...permissionsOfOthers } = sight.permissions;
    return { mesh, sight: { ...sight, permissions: permissionsOfOthers } };
}

/** tokyo's API server does not answer. */
export const dead = (): Scenario =>
    failing({
        ok: false,
        state: "silent",
        kind: "unreachable",
        network: "timeout",
        message:
            "cluster tokyo is unreachable: could not list nodes: no answer within 10 s from tokyo.example.net:6443",
        fix: "Check that the API server is up and that no firewall drops the packets; raise `requestTimeout` if it is only slow",
    });

/** tokyo's API server answers, and does not accept the credentials. */
export const locked = (): Scenario =>
    failing({
        ok: false,
        state: "unusable",
        kind: "unauthorized",
        message: "cluster tokyo: could not list nodes: 401 Unauthorized from tokyo.example.net:6443",
        fix: "Renew the token or client certificate in the kubeconfig: the cluster does not accept it",
    });

/** In hub, one peer was edited by hand, one deleted, and one of a cluster that left the mesh is still there. */
export function drifted(): Scenario {
    return withCluster(healthy(), "hub", (sight) => ({
        ...sight,
        peers: [
            ...sight.peers
                .filter(({ name }) => name !== "global--tokyo--tokyo-n2")
                .map((peer) =>
                    peer.name === "global--berlin--berlin-n1"
                        ? { ...peer, spec: { ...peer.spec, persistentKeepalive: 5, allowedIPs: ["10.17.0.0/16"] } }
                        : peer,
                ),
            livePeer("global--paris--paris-n1", {
                labels: {
                    "kilo-clustermesh.io/mesh": "global",
                    "kilo-clustermesh.io/source-cluster": "paris",
                    [CLAIM_LABEL]: "claim-hub",
                    "app.kubernetes.io/managed-by": "pulumi",
                },
                spec: {
                    allowedIPs: ["10.40.1.0/24"],
                    publicKey: publicKey("paris", "paris-n1"),
                    endpoint: { dnsOrIP: { ip: "198.51.100.40" }, port: 51820 },
                },
            }),
        ],
    }));
}

/** Someone with rights in berlin forged a Node: hub's own pod range, and the key of a node of tokyo. */
export function forged(): Scenario {
    const node = nodeObject(
        { name: "berlin", index: 1 },
        { name: "berlin-n9", podCIDRs: ["10.16.1.0/24"], key: publicKey("tokyo", "tokyo-n1"), lastSeen: NOW - 10 },
    );
    return withCluster(healthy(), "berlin", (sight) => ({ ...sight, nodes: [...sight.nodes, node] }));
}
