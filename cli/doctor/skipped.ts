import type { SkippedNode, SkipReason } from "../../provider/mesh/types";
import type { Inspection, Member } from "./context";
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
    NodeNoPublicKey: [
        "without its key nobody can open a tunnel to it; Kilo's agent writes it when it starts",
        annotation("key"),
    ],
    NodePublicKeyInvalid: ["Kilo would skip the peer and not say so", annotation("key")],
    NodePublicKeyDuplicate: [
        "WireGuard keeps one entry per key, so a second one would take over the networks of the first; a cloned disk or a forged node",
        annotation("key"),
    ],
    NodeEndpointInvalid: [
        "the other clusters could not dial it, or one bad name would stop Kilo from configuring anything",
        "{.metadata.annotations}",
    ],
    PeerKeyForeign: ["WireGuard keeps one entry per key: the two would replace each other", annotation("key")],
    PeerNetworkForeign: [
        "the range is in use here already; of two routes to one range, one gets no traffic",
        POD_CIDRS,
    ],
    PeerNameForeign: ["what is not the mesh's own is never touched", POD_CIDRS],
};

/** Nodes of this cluster that no other cluster gets. */
export const leftOut: Inspection = (member) =>
    member.assessment.plan.skipped
        .filter(({ cluster, target }) => cluster === member.spec.name && target === undefined)
        .map((node) => ({
            ...common(node),
            check: "nodes fit the mesh",
            cluster: member.spec.name,
            next: member.kubectl("get", "node", quoted(node.node), "-o", `jsonpath='${REASONS[node.reason][1]}'`),
        }));

/** Nodes of this cluster that cannot be judged now, once each however many clusters keep their peers. */
export const held: Inspection = ({ spec, assessment, kubectl }) => {
    const nodes = new Map(
        assessment.plan.issues.flatMap((issue) =>
            issue.code === "PeerHeld" && issue.path.startsWith(`${spec.name}/`)
                ? [[issue.path.slice(spec.name.length + 1), issue] as const]
                : [],
        ),
    );
    return [...nodes].map(([node, { code, severity, message }]) => ({
        ...{ code, severity, node, what: message },
        check: "nodes fit the mesh",
        cluster: spec.name,
        why: "a peer that may still work is kept, but it follows no change of the node",
        next: kubectl("get", "node", quoted(node), "-o", "jsonpath='{.metadata.annotations}'"),
    }));
};

/** Nodes of other clusters that this one does not get, because of something in it. */
export const conflicts: Inspection = (member) =>
    member.assessment.plan.skipped
        .filter(({ target }) => target === member.spec.name)
        .map((node) => ({
            ...common(node),
            check: "existing peers",
            cluster: member.spec.name,
            what: `${node.cluster}/${node.node} is not meshed here: ${node.message}`,
            next: inTarget(node, member),
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
function inTarget({ message }: SkippedNode, { kubectl, seen }: Member): string {
    const named = (name: string): boolean => message.includes(JSON.stringify(name));
    const peer = seen.peers.find(({ name }) => named(name));
    if (peer !== undefined) return kubectl("get", "peer", quoted(peer.name), "-o", "yaml");
    const node = seen.nodes.find(({ name }) => named(name));
    return node === undefined ? kubectl("get", "peers") : kubectl("get", "node", quoted(node.name), "-o", "yaml");
}
