import { claimInGroup, memberId } from "../state/member-id";
import { SCHEMA_VERSIONS } from "../state/schema-version";
import { isUnknown, UNKNOWN } from "../values/unknown";
import { isRecord } from "../values/untrusted";
import type { Props } from "./host";
import { optionalText } from "./props";

/**
 * How a group holds its clusters: one property for each, so that one whose values are not known yet leaves the others known,
 * and their kubeconfigs in a property of their own, because what is secret is told by property.
 */
const PREFIX = "cluster:";
const KUBECONFIGS = "kubeconfigs";

export const propertyOf = (cluster: string): string => PREFIX + cluster;

export const clustersOf = (props: Props): string[] =>
    Object.keys(props).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));

/** What holds for all clusters of a group, and is not repeated for each. */
const SHARED = ["resourceUrn", "mesh", "meshId", "owner", "requestTimeout", "deleteUnreachable"] as const;

/** Not repeated either: made of the rest. */
const IMPLIED: ReadonlySet<string> = new Set([
    ...SHARED,
    "resource",
    "schemaVersion",
    "cluster",
    "kubeconfig",
    "claim",
    "asTexts",
    "__provider",
]);

/** As good as absent, and left out: each value costs the engine. */
const USUAL: Props = { neverSeen: false, allowEmpty: false, local: false, identity: "", nodes: "", ledger: "" };

/** A member or peer set of its own, as its group holds it. */
export interface GroupItem {
    readonly id: string;
    readonly props: Props;
}

/** Which kind of resource a group is made of, and the id that its claims are made of. */
export interface GroupForm {
    readonly resource: "member" | "peers";
    /** From the id of the group and its properties. */
    readonly claimsFrom: (id: string, props: Props) => unknown;
}

/** Undefined where the group has no such cluster. */
export function itemOf(
    { resource, claimsFrom }: GroupForm,
    id: string,
    props: Props,
    cluster: string,
): GroupItem | undefined {
    const own = props[propertyOf(cluster)];
    if (own === undefined) return undefined;
    const from = claimsFrom(id, props);
    const claim = isUnknown(from) ? UNKNOWN : claimInGroup(String(from), cluster);
    const kubeconfig = isRecord(props[KUBECONFIGS]) ? props[KUBECONFIGS][cluster] : undefined;
    return {
        id: resource === "member" ? memberId(props.mesh, cluster, claim) : `${props.mesh}/${cluster}/peers`,
        props: {
            resource,
            schemaVersion: SCHEMA_VERSIONS[resource],
            ...Object.fromEntries(SHARED.flatMap((key) => (props[key] === undefined ? [] : [[key, props[key]]]))),
            cluster,
            ...(resource === "peers" ? { ledger: "" } : { nodes: "" }),
            // a cluster of which nothing is known yet
            ...(isRecord(own) ? own : { nodes: UNKNOWN, unreachable: UNKNOWN, unusable: UNKNOWN }),
            ...(resource === "peers" ? { claim, asTexts: true } : {}),
            ...(typeof kubeconfig === "string" ? { kubeconfig } : {}),
        },
    };
}

/** Puts it (back) into the properties of its group. */
export function putItem(props: Props, cluster: string, item: Props): void {
    const own: Props = {};
    for (const [key, value] of Object.entries(item)) {
        if (!IMPLIED.has(key) && value !== USUAL[key]) own[key] = value;
    }
    props[propertyOf(cluster)] = own;
    const kubeconfig = optionalText(item.kubeconfig);
    if (kubeconfig === undefined) return;
    const others = isRecord(props[KUBECONFIGS]) ? props[KUBECONFIGS] : {};
    props[KUBECONFIGS] = { ...others, [cluster]: kubeconfig };
}

/** What a group has besides its clusters. */
export function withoutItems(props: Props): Props {
    const rest: Props = {};
    for (const [key, value] of Object.entries(props)) {
        if (!key.startsWith(PREFIX) && key !== KUBECONFIGS) rest[key] = value;
    }
    return rest;
}
