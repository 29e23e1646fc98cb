import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan } from "../../../provider/mesh/types";
import { clusterNetworks } from "../../../tools/clusters/networks";
import { nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";

/** The hostile one is the first by name: whatever goes by order goes its way. */
export const HOSTILE = "a-hostile";
export const VICTIM = "m-victim";
export const THIRD = "z-third";
const NAMES = [HOSTILE, VICTIM, THIRD];

export const CLAIMS: Readonly<Record<string, string>> = Object.fromEntries(
    NAMES.map((name) => [name, `claim-${name}`]),
);

export const CLUSTERS: readonly ClusterSpec[] = NAMES.map((name, index) => {
    const { podCIDR, wireguardCIDR, serviceCIDR, nodeCIDR } = clusterNetworks(index);
    return { name, podCIDRs: [podCIDR], wireguardCIDR, serviceCIDR, nodeCIDRs: [nodeCIDR] };
});

export const honestNodes = (name: string, count = 2): KubeNode[] =>
    nodeSpecs({ name }, count).map((spec) => nodeObject({ name, index: NAMES.indexOf(name) }, spec));

export function planWith(
    nodes: readonly unknown[],
    livePeers: Readonly<Record<string, readonly KubePeer[]>> = {},
    victims = honestNodes(VICTIM),
): Plan {
    return planMesh({
        mesh: "edge",
        claims: CLAIMS,
        clusters: CLUSTERS,
        nodes: { [HOSTILE]: nodes as readonly KubeNode[], [VICTIM]: victims, [THIRD]: honestNodes(THIRD) },
        livePeers,
    });
}

/** The peers of a plan as they live in their targets after it was carried out. */
export const liveAfter = ({ peers }: Plan): Record<string, KubePeer[]> =>
    Object.fromEntries(
        Object.entries(peers).map(([target, planned]) => [
            target,
            Object.entries(planned).map(([name, { labels, annotations, spec }]) => ({
                metadata: { name, uid: `uid-of-${name}`, labels, ...(annotations ? { annotations } : {}) },
                spec,
            })),
        ]),
    );

/** The mesh before one of its members turned. */
export const HONEST: Plan = planWith(honestNodes(HOSTILE));
export const LIVE = liveAfter(HONEST);

/** What the plan writes into a target for a source. */
export const peersOf = ({ peers }: Plan, target: string, source: string) =>
    Object.fromEntries(
        Object.entries(peers[target] ?? {}).filter(
            ([, { labels }]) => labels["kilo-clustermesh.io/source-cluster"] === source,
        ),
    );
