import type { NodeFacts } from "../../provider/kilo/types";
import { readDeclared } from "../../provider/mesh/args/declared-networks";
import { addressesOf } from "../../provider/mesh/segments/build-segments";
import { wireguardRoute } from "../../provider/mesh/segments/node-check";
import { addressOf } from "../../provider/net/address";
import { hostRoute, type Network, networkOf } from "../../provider/net/cidr";
import { type OverlapFinder, overlapFinder } from "../../provider/net/overlaps";
import type { Inspection, Member } from "./context";
import type { Finding } from "./finding";
import { quoted } from "./kubectl";

/**
 * What the nodes really use against what the other members declare. Declared ranges were compared with each other when
 * the mesh file was read; a node may still use a range that nobody declared for its cluster.
 */
export const ranges: Inspection = (member) => {
    const elsewhere = declaredElsewhere(member);
    return member.seen.nodes.flatMap((node) => [
        ...networks(node.podCIDRs.map(networkOf)).flatMap((network) =>
            clash(member, node, network, elsewhere, {
                code: "NodeRangeElsewhere",
                severity: "error",
                what: `its pod CIDR ${network.text}`,
                why: "traffic for that range would go into the tunnel, or traffic of the other cluster would be answered here",
            }),
        ),
        ...networks(routesTo(node)).flatMap((network) =>
            clash(member, node, network, elsewhere, {
                code: "NodeAddressElsewhere",
                severity: "warning",
                what: `its address ${network.text.replace(/\/\d+$/, "")}`,
                why: "a peer with that range would route the node's own address into the tunnel",
            }),
        ),
    ]);
};

const networks = (found: readonly (Network | undefined)[]): readonly Network[] =>
    found.filter((network) => network !== undefined);

function routesTo(node: NodeFacts): readonly (Network | undefined)[] {
    const addresses = new Set(addressesOf(node));
    return [...[...addresses].map(addressOf).map((address) => address && hostRoute(address)), wireguardRoute(node)];
}

function declaredElsewhere({ spec, assessment: { mesh, links } }: Member): OverlapFinder<string> {
    const linked = mesh.clusters.filter(({ name }) => links[spec.name]?.includes(name));
    return overlapFinder(
        readDeclared(linked)
            .byCluster.flat()
            .map(({ network, owner }) => ({ network, owner: `${network.text} (${owner.field} of ${owner.cluster})` })),
    );
}

function clash(
    { spec, kubectl }: Member,
    node: NodeFacts,
    network: Network,
    elsewhere: OverlapFinder<string>,
    finding: Pick<Finding, "code" | "severity" | "what" | "why">,
): readonly Finding[] {
    const other = elsewhere(network);
    if (other === undefined) return [];
    return [
        {
            ...finding,
            check: "ranges",
            cluster: spec.name,
            node: node.name,
            what: `${finding.what} overlaps ${other}`,
            next: kubectl("get", "node", quoted(node.name), "-o", "yaml"),
        },
    ];
}
