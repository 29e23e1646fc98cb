import { parseEndpoint } from "../kilo/endpoint";
import type { Observations } from "../kilo/observations";
import type { LivePeer } from "../kilo/peer";
import { isPublicKey } from "../kilo/public-key";
import type { KeptFact, KnownNode, NodeFacts } from "../kilo/types";
import { hostOf, networkOf } from "../net/cidr";
import type { Fix } from "../values/fix";

/** A cluster whose nodes and peers were listed in this run. */
export interface Seen {
    readonly state: "seen";
    readonly nodes: readonly KnownNode[];
    readonly peers: readonly LivePeer[];
    readonly observed: Observations;
}

/** `silent`: it gave no answer. `unusable`: it answers, but cannot be used or trusted, and a person must act. */
export interface Unseen {
    readonly state: "silent" | "unusable";
    readonly reason: string;
    readonly fix: Fix;
    /** When it was first found so, ISO 8601. */
    readonly since?: string | undefined;
    /** The member that holds its kubeconfig, where that one is the cause. */
    readonly holder?: string | undefined;
}

/** What one run knows of a cluster. `unknown`: a value of it is not known yet. Not knowing is never a reason to withdraw. */
export type Knowledge = Seen | Unseen | { readonly state: "unknown" };

export interface MergedNodes {
    readonly nodes: readonly KnownNode[];
    /** The cluster listed no node at all, and its last known ones are kept. */
    readonly keptAll: boolean;
}

/**
 * The nodes of a cluster: what was seen, and where that is missing or malformed what was last known. Merging a second time
 * changes nothing, so the state may hold what was merged and a run may merge again.
 */
export function mergeNodes(
    last: readonly NodeFacts[],
    knowledge: Knowledge,
    { allowEmpty = false }: { readonly allowEmpty?: boolean | undefined } = {},
): MergedNodes {
    if (knowledge.state !== "seen") return { nodes: last, keptAll: false };
    const { nodes } = knowledge;
    if (nodes.length === 0 && last.length > 0 && !allowEmpty) return { nodes: last, keptAll: true };
    if (last.length === 0) return { nodes, keptAll: false };
    const known = new Map(last.map((node) => [node.name, node]));
    const passedOn = newClaims(nodes, known);
    return {
        nodes: nodes.map((node) => {
            const before = known.get(node.name);
            return before === undefined || isAnother(before, node) ? node : withLastKnown(before, node, passedOn);
        }),
        keptAll: false,
    };
}

type Claims = ReadonlySet<string | undefined>;

/** Keys and pod networks that a node has now and had not before: another one that merely had them has lost them. */
function newClaims(nodes: readonly NodeFacts[], known: ReadonlyMap<string, NodeFacts>): Claims {
    const claims = new Set<string | undefined>();
    for (const { name, key, podCIDRs } of nodes) {
        const before = known.get(name);
        if (before?.key !== key && isGood.key(key)) claims.add(key);
        for (const text of podCIDRs) if (!before?.podCIDRs.includes(text)) claims.add(networkOf(text)?.text);
    }
    return claims;
}

/** Facts without what only holds for one run. */
export function recordable(node: KnownNode): NodeFacts {
    if (node.stale === undefined && node.kept === undefined) return node;
    const { stale: _, kept: __, ...facts } = node;
    return facts;
}

/** Another uid under the same name is a new node: nothing of the old one is known of it. */
function isAnother(before: NodeFacts, { uid }: NodeFacts): boolean {
    return before.uid !== undefined && uid !== undefined && before.uid !== uid;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function withLastKnown(before: NodeFacts, node: KnownNode, passedOn: Claims): KnownNode {
    if (isSame(before, node)) return node;
    const kept: KeptFact[] = [];
    const merged: Mutable<KnownNode> = { ...node };
    const keep = <F extends keyof NodeFacts>(field: F, fact?: KeptFact): void => {
        if (before[field] === undefined) delete merged[field];
        else merged[field] = before[field] as KnownNode[F];
        if (fact !== undefined) kept.push(fact);
    };
    // what Kilo writes, and takes away at every clean stop (docs/kilo.md: a clean stop removes annotations)
    if (!isGood.key(node.key) && isGood.key(before.key) && !passedOn.has(before.key)) keep("key", "key");
    if (!isGood.endpoint(node.kiloEndpoint) && isGood.endpoint(before.kiloEndpoint)) keep("kiloEndpoint", "endpoint");
    if (!isGood.granularity(node.granularity) && isGood.granularity(before.granularity))
        keep("granularity", "granularity");
    if (!isGood.address(node.wireguardIP) && isGood.address(before.wireguardIP)) keep("wireguardIP", "wireguard-ip");
    if (!hasInternalIP(node) && hasInternalIP(before)) {
        keep("kiloInternalIP");
        keep("noInternalIP", "internal-ip");
    }
    const isPassedOn = before.podCIDRs.some((text) => passedOn.has(networkOf(text)?.text));
    if (!isGood.pods(node.podCIDRs) && isGood.pods(before.podCIDRs) && !isPassedOn) keep("podCIDRs", "pod CIDR");
    if (node.internalIPs.length + node.externalIPs.length === 0) {
        keep("internalIPs");
        keep("externalIPs");
    }
    // what people write: its absence is a statement, a slip of the pen is not
    for (const field of ["clustermeshEndpoint", "forceEndpoint"] as const) {
        const isSlip = node[field] !== undefined && !isGood.endpoint(node[field]);
        if (isSlip && (before[field] === undefined || isGood.endpoint(before[field]))) keep(field);
    }
    if (kept.length > 0) merged.kept = kept;
    return merged;
}

/** Nothing that could be kept is different: then nothing need be parsed. */
const isSame = (before: NodeFacts, node: NodeFacts): boolean =>
    TEXTS.every((field) => before[field] === node[field]) &&
    LISTS.every((field) => before[field].length === node[field].length) &&
    LISTS.every((field) => before[field].every((text, i) => text === node[field][i]));

const TEXTS = [
    "key",
    "wireguardIP",
    "kiloInternalIP",
    "noInternalIP",
    "granularity",
    "clustermeshEndpoint",
    "forceEndpoint",
    "kiloEndpoint",
] as const;
const LISTS = ["podCIDRs", "internalIPs", "externalIPs"] as const;

const GRANULARITIES: ReadonlySet<string | undefined> = new Set(["full", "cross", "location"]);

const isGood = {
    key: (text: string | undefined) => text !== undefined && isPublicKey(text),
    endpoint: (text: string | undefined) => text !== undefined && parseEndpoint(text) !== undefined,
    granularity: (text: string | undefined) => GRANULARITIES.has(text),
    address: (text: string | undefined) => text !== undefined && hostOf(text) !== undefined,
    pods: (texts: readonly string[]) => texts.length > 0 && texts.every((text) => networkOf(text) !== undefined),
};

const hasInternalIP = ({ kiloInternalIP, noInternalIP }: NodeFacts): boolean =>
    kiloInternalIP !== undefined || noInternalIP === true;
