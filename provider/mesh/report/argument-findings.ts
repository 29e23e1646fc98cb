import type { Fix } from "../../values/fix";
import { count, few, shown } from "../../values/show";
import type { Rendered } from "./findings";

/** Where in the arguments. */
export interface At {
    readonly path: string;
}

const error = (path: string, message: string, fix: Fix): Rendered => ({ severity: "error", path, message, fix });

const cidr = ({
    path,
    text,
    problem,
    fix,
}: At & Record<"text" | "problem", string> & { readonly fix: Fix }): Rendered =>
    error(path, `${shown(text)} ${problem}`, fix);

/** Findings about the arguments: each stops the run before any cluster is contacted. */
export const ARGUMENT_FINDINGS = {
    AccessAmbiguous: ({ path, cluster, ways }: At & { readonly cluster: string; readonly ways: readonly string[] }) =>
        error(path, `${ways.join(" and ")} are both given for ${shown(cluster)}`, "Keep the one that should be used"),
    AccessMissing: ({ path, cluster }: At & { readonly cluster: string }) =>
        error(path, `nothing says how to reach ${shown(cluster)}`, "Give kubeconfig, local: true, or kubeconfigSecret"),
    ArgumentInvalid: ({ path, phrase }: At & { readonly phrase: string }) =>
        error(path, `${path || "the arguments"} must be ${phrase}`, `Give ${phrase}`),
    ArgumentUnknown: ({
        path,
        field,
        parent,
        nearest,
        known,
    }: At & {
        readonly field: string;
        readonly parent: string;
        readonly nearest: string | undefined;
        readonly known: readonly string[];
    }) =>
        error(
            path,
            `there is no field ${shown(field)} in ${parent || "the arguments"}`,
            nearest === undefined ? `Remove it; the fields are ${known.join(", ")}` : `Did you mean ${nearest}?`,
        ),
    ArgumentUnreadable: () =>
        error(
            "",
            "the arguments cannot be read: looking at them throws",
            "Pass plain objects, lists, strings and numbers",
        ),
    ChildUrnDuplicate: ({ path, other, child }: At & { readonly other: string; readonly child: string }) =>
        error(
            path,
            `this mesh and ${shown(other)} would both have a child named ${shown(child)}, and Pulumi allows it once`,
            "Rename one of the meshes or clusters: a child is named after both, joined by a hyphen",
        ),
    CidrDefaultRoute: cidr,
    CidrHostBits: cidr,
    CidrInvalid: cidr,
    CidrMapped: cidr,
    CidrZone: cidr,
    CidrOverlap: ({
        path,
        later,
        earlier,
        at,
    }: At & {
        readonly later: { readonly text: string; readonly cluster: string };
        readonly earlier: { readonly text: string; readonly cluster: string };
        readonly at: string;
    }) =>
        error(
            path,
            `${later.text} of ${shown(later.cluster)} overlaps ${earlier.text} of ${shown(earlier.cluster)} (${at})`,
            "Give each cluster and each purpose its own range; Kilo cannot route one range to two places",
        ),
    CidrOverlapsUnlisted: ({ unlisted }: { readonly unlisted: number }) =>
        error(
            "clusters",
            `${count(unlisted, "further overlap")} not listed`,
            "Fix those that are listed and run again",
        ),
    ClaimInvalid: ({ claim, target }: { readonly claim: unknown; readonly target: string }) =>
        error(
            "claims",
            `the claim ${shown(claim)} of ${shown(target)} cannot be a label`,
            "Pass the claim as the member has it",
        ),
    KeyInTwoMeshes: ({
        path,
        others,
        targets,
    }: At & { readonly others: readonly string[]; readonly targets: readonly string[] }) =>
        error(
            path,
            `this mesh and ${few(others.map(shown))} would write the same keys into ${few(targets.map(shown))}, and Kilo keeps one peer per key`,
            "Join each pair of nodes in one mesh only: take the clusters out of one of them, or select disjoint nodes",
        ),
    LinkToSelf: ({ path, cluster }: At & { readonly cluster: string }) =>
        error(path, `${shown(cluster)} is linked with itself`, "Name two different clusters, or remove the link"),
    MeshNameDuplicate: ({ path, mesh, shared }: At & { readonly mesh: string; readonly shared: readonly string[] }) =>
        error(
            path,
            `two meshes are called ${shown(mesh)} and share ${few(shared.map(shown))}`,
            "Give each mesh its own meshName",
        ),
    NameDuplicate: ({ path, name, first }: At & { readonly name: string; readonly first: string }) =>
        error(path, `${shown(name)} is already the name of ${first}`, "Give every cluster its own name"),
    NameInvalid: ({ path, name }: At & { readonly name: string }) =>
        error(
            path,
            `${shown(name)} is not a DNS-1123 label`,
            "Use up to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends",
        ),
    NetworksAmbiguous: ({ path, typed }: At & { readonly typed: readonly string[] }) =>
        error(
            path,
            `allowedNetworks stands alone, but ${typed.join(", ")} ${typed.length === 1 ? "is" : "are"} given too`,
            `Keep allowedNetworks alone, or move its ranges to ${typed.join(", ")}`,
        ),
    NetworksMissing: ({ path, cluster, others }: At & { readonly cluster: string; readonly others: boolean }) =>
        error(
            path,
            `${shown(cluster)} declares no pod network${others ? ", only others" : ""}`,
            "Give podCIDRs (the range its nodes' pod CIDRs come from), or allowedNetworks alone",
        ),
    ReferenceUnknown: ({ path, name, known }: At & { readonly name: string; readonly known: readonly string[] }) =>
        error(path, `there is no cluster ${shown(name)}`, `Name one of ${few(known.map(shown), 10)}`),
    SecretCycle: ({ path, cluster }: At & { readonly cluster: string }) =>
        error(
            path,
            `the kubeconfig of ${shown(cluster)} would be read with the help of ${shown(cluster)} itself`,
            "Give one of the clusters on the way a kubeconfig of its own",
        ),
    TooFewClusters: ({ path }: At) =>
        error(
            path,
            "a mesh needs two clusters or more",
            "Name at least two clusters; to dissolve the mesh, remove the resource",
        ),
    TopologyEmpty: ({ path }: At) =>
        error(
            path,
            "the topology links no clusters at all",
            "Name hubs or links, or leave topology out for a full mesh",
        ),
};
