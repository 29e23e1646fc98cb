import type { SkippedNode, SkipReason } from "../../provider/mesh/types";
import type { Examination, Patient } from "./context";
import type { Finding } from "./finding";
import { quoted } from "./kubectl";

const annotation = (name: string): string => `{.metadata.annotations.kilo\\.squat\\.ai/${name}}`;
const POD_CIDRS = "{.spec.podCIDRs}";

/** Why each reason matters, and what of the node to look at. */
const REASONS: Readonly<Record<SkipReason, readonly [why: string, field: string]>> = {
    NodeNoPodCIDR: ["without a pod CIDR there is nothing to route to; Kilo needs it too", POD_CIDRS],
    NodePodCIDROutOfRange: [
        "only declared ranges are routed, whatever a node says; either podCIDRs in the mesh file lack a range, or someone forged the node",
        POD_CIDRS,
    ],
    NodePodCIDRDuplicate: [
        "one range cannot lead to two nodes; one of the two objects is wrong or left over",
        POD_CIDRS,
    ],
    NodeNoWireguardIP: [
        "wireguardCIDR is declared, so every node that lends its identity needs an address in it",
        annotation("wireguard-ip"),
    ],
    WGIPInvalid: ["the address would become a route; this one cannot be read", annotation("wireguard-ip")],
    WGIPOutOfRange: [
        "only declared ranges are routed; compare wireguardCIDR in the mesh file with Kilo's --subnet",
        annotation("wireguard-ip"),
    ],
    WGIPDuplicate: [
        "one address cannot lead to two nodes; Kilo settles it within 30 seconds, or an old leader left it behind",
        annotation("wireguard-ip"),
    ],
    NodeNoPublicKey: [
        "without its key nobody can open a tunnel to it; Kilo's agent writes it when it starts",
        annotation("key"),
    ],
    NodePublicKeyInvalid: ["Kilo would drop the peer without a word", annotation("key")],
    NodePublicKeyDuplicate: [
        "WireGuard keeps one entry per key, so a second one would take over the networks of the first; a cloned disk or a forged node",
        annotation("key"),
    ],
    NodeEndpointInvalid: [
        "the other clusters could not dial it, or one bad name would stop Kilo from configuring anything",
        "{.metadata.annotations}",
    ],
    PeerKeyForeign: ["WireGuard keeps one entry per key: the two would replace each other", annotation("key")],
    PeerNetworkForeign: ["the range is in use here already; two routes to one range black-hole one of them", POD_CIDRS],
    PeerNameForeign: ["what is not the mesh's own is never touched", POD_CIDRS],
};

/** Nodes of this cluster that no other cluster gets. */
export const leftOut: Examination = (patient) =>
    patient.assessment.plan.skipped
        .filter(({ cluster, target }) => cluster === patient.spec.name && target === undefined)
        .map((node) => ({
            ...common(node),
            check: "nodes fit the mesh",
            cluster: patient.spec.name,
            next: patient.kubectl("get", "node", quoted(node.node), "-o", `jsonpath='${REASONS[node.reason][1]}'`),
        }));

/** Nodes of other clusters that this one does not get, because of something in it. */
export const conflicts: Examination = (patient) =>
    patient.assessment.plan.skipped
        .filter(({ target }) => target === patient.spec.name)
        .map((node) => ({
            ...common(node),
            check: "existing peers",
            cluster: patient.spec.name,
            what: `${node.cluster}/${node.node} is not meshed here: ${node.message}`,
            next: inTarget(node, patient),
        }));

const common = ({
    node,
    reason,
    message,
}: SkippedNode): Pick<Finding, "code" | "severity" | "node" | "what" | "why"> => ({
    code: reason,
    severity: "error",
    node,
    what: message,
    why: REASONS[reason][0],
});

/** The object in the way is a peer, or one of the target's own nodes. */
function inTarget({ message }: SkippedNode, { kubectl, sight }: Patient): string {
    const named = (name: string): boolean => message.includes(JSON.stringify(name));
    const peer = sight.peers.find(({ metadata }) => named(metadata.name));
    if (peer !== undefined) return kubectl("get", "peer", quoted(peer.metadata.name), "-o", "yaml");
    const node = sight.nodes.find(({ metadata }) => named(metadata?.name ?? ""));
    return node === undefined
        ? kubectl("get", "peers")
        : kubectl("get", "node", quoted(node.metadata!.name!), "-o", "yaml");
}
