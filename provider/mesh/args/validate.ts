import { isRecord } from "../../values/untrusted";
import { isDnsLabel } from "../names";
import { hasErrors, issue, sortIssues } from "../report/findings";
import type { Issue, MeshSpec } from "../types";
import { clusterPath } from "./argument-path";
import { checkReferences } from "./check-references";
import { type Declared, type DeclaredNetworks, overlapIssues, readDeclared } from "./declared-networks";
import { checkShape, type KnownCluster, type KnownMesh } from "./schema";

export interface CheckOptions {
    /** Undefined stands for a value that is not known yet, and is not reported as missing. */
    readonly partial?: boolean;
    /** Exactly one way to reach each cluster must be given. */
    readonly requireAccess?: boolean;
    /** A single cluster is fine: nothing is planned for it. */
    readonly allowSingle?: boolean;
}

/** The checked arguments, or what is wrong with them: all findings at once. */
export function parseMesh(
    args: unknown,
    options: CheckOptions = {},
): { readonly mesh?: MeshSpec; readonly issues: readonly Issue[] } {
    const { known, issues } = check(args, options);
    return hasErrors(issues) ? { issues } : { mesh: definedOnly(known) as MeshSpec, issues };
}

/** The findings alone. With `partial`, for arguments of which some values will only be known later. */
export function validateMesh(args: unknown, options: CheckOptions = {}): readonly Issue[] {
    return check(args, options).issues;
}

function check(args: unknown, options: CheckOptions): { readonly known: KnownMesh; readonly issues: readonly Issue[] } {
    const { known, issues, broken } = readShape(args, options.partial === true);
    return { known, issues: sortIssues([...issues, ...checkMesh(known, options, broken).issues]) };
}

function readShape(args: unknown, partial: boolean): ReturnType<typeof checkShape> {
    try {
        return checkShape(args, partial);
    } catch {
        return { known: {}, issues: [UNREADABLE], broken: new Set() };
    }
}

export const UNREADABLE = issue("ArgumentUnreadable", undefined);

/** Everything that types cannot say. The parsed networks are handed on, so that each is parsed once. */
export function checkMesh(
    mesh: KnownMesh,
    options: CheckOptions,
    broken: ReadonlySet<unknown> = new Set(),
): { readonly issues: readonly Issue[]; readonly networks: DeclaredNetworks } {
    const clusters = mesh.clusters ?? [];
    const pathOf = clusterPath(mesh.byName, clusters);
    const networks = readDeclared(clusters, pathOf);
    const issues = [
        ...checkName(mesh.mesh, "mesh"),
        ...checkCount(mesh, options),
        ...checkUnique(clusters),
        ...checkReferences(mesh, clusters, pathOf),
        ...networks.issues,
        ...overlapIssues(networks.byCluster.flat()),
    ];
    clusters.forEach((cluster, i) => {
        if (cluster === undefined) return;
        const partial = options.partial === true || broken.has(i);
        issues.push(...checkName(cluster.name, mesh.byName ? pathOf(i) : `${pathOf(i)}.name`));
        issues.push(...checkForm(cluster, pathOf(i), partial, networks.byCluster[i]!));
        issues.push(...checkAccess(cluster, pathOf(i), partial, options.requireAccess === true));
    });
    return { issues, networks };
}

function checkName(name: string | undefined, path: string): readonly Issue[] {
    return name === undefined || isDnsLabel(name) ? [] : [issue("NameInvalid", { path, name })];
}

function checkCount(mesh: KnownMesh, { allowSingle = false }: CheckOptions): readonly Issue[] {
    if (mesh.clusters === undefined || mesh.clusters.length >= (allowSingle ? 1 : 2)) return [];
    return [issue("TooFewClusters", { path: "clusters" })];
}

function checkUnique(clusters: readonly (KnownCluster | undefined)[]): readonly Issue[] {
    const first = new Map<string, number>();
    return clusters.flatMap((cluster, i) => {
        if (cluster?.name === undefined) return [];
        const before = first.get(cluster.name);
        if (before === undefined) {
            first.set(cluster.name, i);
            return [];
        }
        const path = `clusters[${i}].name`;
        return [issue("NameDuplicate", { path, name: cluster.name, first: `clusters[${before}]` })];
    });
}

/** The typed form or the flat form, not both. */
function checkForm(
    cluster: KnownCluster,
    path: string,
    partial: boolean,
    declared: readonly Declared[],
): readonly Issue[] {
    const { podCIDRs, allowedNetworks, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs } = cluster;
    const typed = Object.entries({ podCIDRs, wireguardCIDR, serviceCIDR, additionalCIDRs, nodeCIDRs })
        .filter(([, value]) => value !== undefined)
        .map(([field]) => field);
    if (allowedNetworks !== undefined && typed.length > 0) {
        return [issue("NetworksAmbiguous", { path: `${path}.allowedNetworks`, typed })];
    }
    const field = allowedNetworks !== undefined ? "allowedNetworks" : "podCIDRs";
    const empty = (allowedNetworks ?? podCIDRs)?.length === 0;
    const missing = allowedNetworks === undefined && podCIDRs === undefined && !partial;
    if (!empty && !missing) return [];
    const others = declared.some(({ owner }) => owner.field !== "reserved");
    return [issue("NetworksMissing", { path: `${path}.${field}`, cluster: cluster.name ?? "", others })];
}

/** At most one way to reach the cluster; exactly one where it will be contacted. */
function checkAccess(cluster: KnownCluster, path: string, partial: boolean, required: boolean): readonly Issue[] {
    const ways = [
        cluster.kubeconfig === undefined ? [] : ["kubeconfig"],
        cluster.local === true ? ["local"] : [],
        cluster.kubeconfigSecret === undefined ? [] : ["kubeconfigSecret"],
    ].flat();
    const name = cluster.name ?? "";
    if (ways.length > 1) return [issue("AccessAmbiguous", { path: `${path}.${ways[1]}`, cluster: name, ways })];
    if (ways.length === 1 || partial || !required) return [];
    return [issue("AccessMissing", { path, cluster: name })];
}

export function definedOnly(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(definedOnly);
    if (!isRecord(value)) return value;
    const known = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(known.map(([key, item]) => [key, definedOnly(item)]));
}
