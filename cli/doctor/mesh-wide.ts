import type { IssueCode } from "../../provider/mesh/report/findings";
import type { Issue } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import type { Finding } from "./finding";
import { asAdministrator, quoted } from "./kubectl";

/** Told by an inspection of the member, in more detail. */
const TOLD: ReadonlySet<IssueCode> = new Set([
    "ClusterNoNodes",
    "ClusterSilent",
    "ClusterUnusable",
    "GranularityUnknown",
    "NatWithoutKeepalive",
    "NodeStale",
    "PeerHeld",
    "SourceKept",
]);

const WHY: Readonly<Partial<Record<IssueCode, string>>> = {
    AcceptsNothing: "acceptedNetworks decides what is routed there, and it is empty",
    ClusterUnlinked: "it is a member, but no traffic goes to it or comes from it",
    EndpointUnresolvable: "one name that does not resolve stops Kilo from configuring anything at its next start",
    ExcludedNodeUnknown: "a name with a mistake in it excludes nobody",
    LeaderCannotLend: "only the leader of a location holds its tunnel; a stand-in may not answer",
    LeaderExcluded: "Kilo knows nothing of excludeNodes: inside the cluster the location still goes through its leader",
    LeaderMoved: "until pulumi up moves the peer, the other clusters dial a node that does not hold the tunnel",
    NatToNat: "a tunnel opens when one side dials, and here neither side knows where",
    NetworkForeign: "a range can lead to one place only, and what is there already stays",
    NodeAddressLeftOut: "a route to the end of a tunnel would lead into the tunnel itself",
    PeerContested: "a key or a range can belong to one peer only: one of the two gets no traffic",
    PeerUnclaimed: "labels say whose a peer is; without them it is changed only where the state knows the object",
    TooManyPeers: "every node configures every peer; large configurations make Kilo slow to react",
    WireguardAddressLeftOut: "pods are reached, but not the WireGuard addresses of these nodes",
};

/** What planning found about the mesh as a whole. */
export function planFindings({ plan }: Assessment): readonly Finding[] {
    return plan.issues.filter(({ code }) => !TOLD.has(code)).map(findingOf);
}

const findingOf = ({ code, severity, message, fix }: Issue): Finding => ({
    code,
    severity,
    what: message,
    why: WHY[code] ?? "the mesh will not be what the mesh file says",
    next: fix,
});

/** Said plainly, because their absence above could be taken for a clean result. */
export function beyondTheApi({ mesh, plan: { facts } }: Assessment): readonly Finding[] {
    const spec = mesh.clusters.find(({ name }) => (facts[name]?.length ?? 0) > 0);
    if (spec === undefined) return [];
    const node = facts[spec.name]![0]!.name;
    return [
        {
            code: "MtuNotVisible",
            severity: "info",
            what: "the MTU of the tunnels cannot be read from the API: compare it on one node of every cluster",
            why: "Kilo takes each node's own MTU less 80; where clusters differ (1420 here, 8921 there), large packets are lost while pings pass",
            next: asAdministrator(
                spec.name,
                "debug",
                quoted(`node/${node}`),
                "-it",
                "--image=busybox",
                "--",
                "ip",
                "link",
                "show",
                "kilo0",
            ),
        },
        {
            code: "VersionNotVisible",
            severity: "info",
            what: "the version of Kilo cannot be read with these permissions: look at it in every cluster",
            why: "what is said here about Kilo was seen with 0.7.0; agents of different versions in one cluster may disagree",
            next: asAdministrator(spec.name, "-n", "kube-system", "get", "daemonset", "kilo", "-o", "wide"),
        },
    ];
}
