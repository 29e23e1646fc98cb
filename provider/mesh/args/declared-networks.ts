import { type Network, outermost, parseCidr } from "../../net/cidr";
import { eachOverlap, type Overlap, type Owned } from "../../net/overlaps";
import { issue } from "../report/findings";
import type { Issue } from "../types";
import { clusterPath } from "./argument-path";
import type { KnownCluster } from "./schema";

/** Where in the arguments a network was declared. */
export interface Declaration {
    readonly cluster: string;
    readonly field: NetworkField;
    readonly path: string;
    /** Position among all declarations: of two that overlap, the later one is the finding. */
    readonly order: number;
}

export type Declared = Owned<Declaration, Network>;
export type NetworkField = (typeof NETWORK_FIELDS)[number];

export const NETWORK_FIELDS = [
    "podCIDRs",
    "wireguardCIDR",
    "serviceCIDR",
    "additionalCIDRs",
    "nodeCIDRs",
    "allowedNetworks",
    "reserved",
] as const;

/** More pairs than this are counted, not listed. */
const MOST_LISTED = 100;

export interface DeclaredNetworks {
    /** By position in `clusters`. */
    readonly byCluster: readonly (readonly Declared[])[];
    readonly accepted: readonly (readonly Network[] | undefined)[];
    readonly issues: readonly Issue[];
}

/** Parses every network of every cluster, once. Unknown ones are passed over. */
export function readDeclared(
    clusters: readonly (KnownCluster | undefined)[],
    pathOf: (position: number) => string = clusterPath(undefined, clusters),
): DeclaredNetworks {
    const issues: Issue[] = [];
    let order = 0;
    const parse = (text: string | undefined, path: string): Network | undefined => {
        if (text === undefined) return undefined;
        const parsed = parseCidr(text);
        if (!("problem" in parsed)) return parsed;
        issues.push(issue(parsed.code, { path, text, problem: parsed.problem, fix: parsed.fix }));
        return undefined;
    };
    const byCluster = clusters.map((cluster, i) => {
        const declared: Declared[] = [];
        for (const field of NETWORK_FIELDS) {
            for (const { text, path } of textsOf(cluster?.[field], `${pathOf(i)}.${field}`)) {
                const network = parse(text, path);
                const owner = { cluster: cluster?.name ?? "", field, path, order: order++ };
                if (network !== undefined) declared.push({ network, owner });
            }
        }
        return declared;
    });
    const accepted = clusters.map((cluster, i) => {
        if (cluster?.acceptedNetworks === undefined) return undefined;
        const texts = textsOf(cluster.acceptedNetworks, `${pathOf(i)}.acceptedNetworks`);
        return outermost(texts.flatMap(({ text, path }) => parse(text, path) ?? []));
    });
    return { byCluster, accepted, issues };
}

function textsOf(
    value: string | readonly (string | undefined)[] | undefined,
    path: string,
): readonly { readonly text: string | undefined; readonly path: string }[] {
    if (value === undefined) return [];
    if (typeof value === "string") return [{ text: value, path }];
    return value.map((text, i) => ({ text, path: `${path}[${i}]` }));
}

/** Every two declared networks that share an address, each at the path of the one declared later. */
export function overlapIssues(
    declared: readonly Declared[],
    counts: (pair: Overlap<Declaration, Network>) => boolean = () => true,
): readonly Issue[] {
    const issues: Issue[] = [];
    let unlisted = 0;
    eachOverlap(declared, (pair) => {
        if (!counts(pair)) return;
        if (issues.length < MOST_LISTED) issues.push(overlapIssue(pair));
        else unlisted++;
    });
    if (unlisted > 0) issues.push(issue("CidrOverlapsUnlisted", { unlisted }));
    return issues;
}

function overlapIssue({ outer, inner }: Overlap<Declaration, Network>): Issue {
    const [earlier, later] = outer.owner.order < inner.owner.order ? [outer, inner] : [inner, outer];
    return issue("CidrOverlap", {
        path: later.owner.path,
        later: { text: later.network.text, cluster: later.owner.cluster },
        earlier: { text: earlier.network.text, cluster: earlier.owner.cluster },
        at: earlier.owner.path,
    });
}
