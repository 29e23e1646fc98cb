import { isDeepStrictEqual } from "node:util";
import { decodeKubeconfigs, encodeKubeconfigs } from "../state/kubeconfigs-text";
import { claimInGroup, memberId } from "../state/member-id";
import { SCHEMA_VERSIONS } from "../state/schema-version";
import { sharePeers, unsharePeers } from "../state/shared-peers";
import { isUnknown, UNKNOWN } from "../values/unknown";
import { isRecord } from "../values/untrusted";
import type { Props } from "./host";
import { optionalText } from "./props";

/**
 * How a group holds its clusters: one property for each, so that one whose values are not known yet leaves the others known,
 * and their kubeconfigs in a property of their own, because what is secret is told by property. A kubeconfig that is not known yet stands
 * in the property of its cluster. Long texts are properties of their own: the engine writes what lies in an object into its log once
 * more for each level (docs/pulumi.md: cost grows with values).
 */
const PREFIX = "cluster:";
const KUBECONFIGS = "kubeconfigs";
/** The peers that targets have for a source. */
const PEERS = "peers:";
const TEXTS = ["nodes", "ledger"] as const;
const PREFIXES: readonly string[] = [PREFIX, PEERS, ...TEXTS.map((text) => `${text}:`)];

export const propertyOf = (cluster: string) => `${PREFIX}${cluster}` as const;

export const nodesPropertyOf = (cluster: string) => `nodes:${cluster}` as const;

export const clustersOf = (props: Props): string[] =>
    Object.keys(props).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));

/** Texts of peers by source, as properties. */
export const sourceProperties = <T>(sources: Readonly<Record<string, T>>): Record<`peers:${string}`, T> =>
    Object.fromEntries(Object.entries(sources).map(([source, text]) => [PEERS + source, text]));

const isOfItems = (key: string): boolean => key === KUBECONFIGS || PREFIXES.some((prefix) => key.startsWith(prefix));

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

/** What a group says of a cluster of which nothing is known yet. */
const NOTHING_KNOWN: Props = { nodes: UNKNOWN, unreachable: UNKNOWN, unusable: UNKNOWN, kubeconfig: UNKNOWN };

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
    const kubeconfig = decodeKubeconfigs(props[KUBECONFIGS])[cluster];
    return {
        id: resource === "member" ? memberId(props.mesh, cluster, claim) : `${props.mesh}/${cluster}/peers`,
        props: {
            resource,
            schemaVersion: SCHEMA_VERSIONS[resource],
            ...Object.fromEntries(SHARED.flatMap((key) => (props[key] === undefined ? [] : [[key, props[key]]]))),
            cluster,
            ...(resource === "peers" ? { ledger: "" } : { nodes: "" }),
            ...textsOf(props, cluster),
            ...(isRecord(own) ? own : NOTHING_KNOWN),
            ...(isRecord(own) && own.peers !== undefined
                ? { peers: unsharePeers(own.peers, (source) => props[PEERS + source]) }
                : {}),
            ...(resource === "peers" ? { claim, asTexts: true } : {}),
            ...(kubeconfig === undefined ? {} : { kubeconfig }),
        },
    };
}

function textsOf(props: Props, cluster: string): Props {
    const texts: Props = {};
    for (const text of TEXTS) {
        const found = props[`${text}:${cluster}`];
        if (found !== undefined) texts[text] = found;
    }
    return texts;
}

/** The properties of a group, made of those of its clusters. */
export function groupProps(rest: Props, items: ReadonlyMap<string, Props>): Props {
    const props: Props = { ...rest };
    const kubeconfigs: Record<string, string | undefined> = {};
    const peers: Record<string, Props> = {};
    for (const [cluster, item] of items) {
        const own: Props = {};
        for (const [key, value] of Object.entries(item)) {
            if (IMPLIED.has(key) || value === USUAL[key]) continue;
            if ((TEXTS as readonly string[]).includes(key)) props[`${key}:${cluster}`] = value;
            else own[key] = value;
        }
        props[propertyOf(cluster)] = own;
        if (isUnknown(item.kubeconfig)) own.kubeconfig = UNKNOWN;
        else kubeconfigs[cluster] = optionalText(item.kubeconfig);
        if (isRecord(own.peers)) peers[cluster] = own.peers;
    }
    const shared = sharePeers(peers);
    for (const [cluster, own] of Object.entries(shared.peers)) (props[propertyOf(cluster)] as Props).peers = own;
    return { ...props, ...sourceProperties(shared.sources), [KUBECONFIGS]: encodeKubeconfigs(kubeconfigs) };
}

/** Where none has changed, the text that is recorded stays: another version of zlib may write another one. */
export function recordedKubeconfigs(olds: Props, news: Props): Props {
    const [before, after] = [olds, news].map((props) => props[KUBECONFIGS]);
    const isSame = isDeepStrictEqual(decodeKubeconfigs(before), decodeKubeconfigs(after));
    return isSame && typeof before === "string" && !isUnknown(before) ? { [KUBECONFIGS]: before } : {};
}

/** What a group has besides its clusters. */
export function withoutItems(props: Props): Props {
    const rest: Props = {};
    for (const [key, value] of Object.entries(props)) {
        if (!isOfItems(key)) rest[key] = value;
    }
    return rest;
}
