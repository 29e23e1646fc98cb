import type { Issue } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import type { Finding } from "./finding";
import { asAdministrator, quoted } from "./kubectl";

/** Told in more detail by an examination of its own. */
const TOLD: ReadonlySet<string> = new Set(["NodeStale", "GranularityUnknown"]);

const WHY: Readonly<Record<string, string>> = {
    ClusterUnlinked: "it is a member, but no traffic goes to it or comes from it",
    NatToNat: "a tunnel opens when one side dials, and here neither side knows where",
    AcceptsNothing: "acceptedNetworks decides what is routed there, and it is empty",
    NetworkForeign: "a range can lead to one place only, and what is there already stays",
    EndpointUnresolvable: "one name that does not resolve stops Kilo from configuring anything at its next start",
    LeaderCannotLend: "only the leader of a location holds its tunnel; a stand-in may not answer",
    TooManyPeers: "every node configures every peer; large configurations make Kilo slow to react",
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

/** Said plainly, because their absence above could be taken for a clean bill. */
export function beyondTheApi({ mesh, facts }: Assessment): readonly Finding[] {
    const spec = mesh.clusters.find(({ name }) => (facts[name]?.length ?? 0) > 0);
    if (spec === undefined) return [];
    const node = facts[spec.name]![0]!.name;
    return [
        {
            code: "MtuNotVisible",
            severity: "info",
            what: "the MTU of the tunnels cannot be read from the API: compare it on one node of every cluster",
            why: "Kilo takes each node's own MTU less 80; where clusters differ (1420 here, 8921 there), large packets vanish while pings pass",
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
