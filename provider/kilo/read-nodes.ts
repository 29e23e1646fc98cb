import { addressOf } from "../net/address";
import { hostOf } from "../net/cidr";
import { digest } from "../values/digest";
import { IGNORE_ANNOTATION } from "../values/labels";
import { byText } from "../values/show";
import { guarded, isRecord, list, own, type Reader, reader, text } from "../values/untrusted";
import type { KnownNode, KubeNode, NodeFacts } from "./types";

/** Longer than any name an API server accepts; bounds what a hostile list can cost. */
const LONGEST_NAME = 1024;
const LONGEST_CIDR = 64;
const LONGEST_ENDPOINT = 300;
const LONGEST_LOCATION = 253;
const MOST_ADDRESSES = 16;
const MOST_POD_CIDRS = 8;
/** Enough to tell two nodes of one name apart; the state keeps one for every node. */
const UID_DIGITS = 10;
/** Kilo's own limit for `last-seen` (docs/kilo.md: ready for 60 seconds). */
const SECONDS_TO_STALE = 60;
/** Control and formatting characters, and halves of surrogate pairs: no API server hands out such a name. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const LAST_SEEN = "kilo.squat.ai/last-seen";
const REGION_LABEL = "topology.kubernetes.io/region";

const ANNOTATIONS = [
    { field: "key", name: "kilo.squat.ai/key", limit: 64 },
    { field: "wireguardIP", name: "kilo.squat.ai/wireguard-ip", limit: LONGEST_CIDR },
    { field: "granularity", name: "kilo.squat.ai/granularity", limit: 32 },
    { field: "clustermeshEndpoint", name: "kilo.squat.ai/clustermesh-endpoint", limit: LONGEST_ENDPOINT },
    { field: "forceEndpoint", name: "kilo.squat.ai/force-endpoint", limit: LONGEST_ENDPOINT },
    { field: "kiloEndpoint", name: "kilo.squat.ai/endpoint", limit: LONGEST_ENDPOINT },
] as const;

/** Which nodes of a cluster are meshed. */
export interface NodeSelection {
    readonly nodeSelector?: Readonly<Record<string, string>>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What planning needs to know of each node, sorted by name. A node without a usable name is dropped. */
export function readNodes(nodes: readonly unknown[], cluster: NodeSelection, now?: number): readonly KnownNode[] {
    const selector = Object.entries(cluster.nodeSelector ?? {});
    const read = (node: unknown) => readNode(node, selector, now);
    const facts: KnownNode[] = [];
    for (const node of list(nodes)) {
        const found = guarded(read, node);
        if (found !== undefined) facts.push(found);
    }
    return uniqueByName(facts);
}

/** Sorted by name. Of two with one name, which no API server has, the first by content stays. */
export function uniqueByName<T extends NodeFacts>(facts: readonly T[]): readonly T[] {
    // as API servers list them
    if (facts.every(({ name }, i) => i === 0 || byText(facts[i - 1]!.name, name) < 0)) return facts;
    const sorted = [...facts].sort((a, b) => byText(a.name, b.name) || byText(JSON.stringify(a), JSON.stringify(b)));
    return sorted.filter((node, i) => i === 0 || node.name !== sorted[i - 1]!.name);
}

function readNode(
    node: unknown,
    selector: readonly (readonly [string, string])[],
    now: number | undefined,
): KnownNode | undefined {
    const metadata = own(node, "metadata");
    const name = own(metadata, "name");
    if (!isUsableName(name)) return undefined;
    const labels = own(metadata, "labels");
    const annotations = own(metadata, "annotations");
    const annotation = reader(annotations);
    const podCIDRs = readPodCIDRs(own(node, "spec"));
    const { internalIPs, externalIPs } = readAddresses(own(own(node, "status"), "addresses"));
    const uid = own(metadata, "uid");
    const facts: Mutable<KnownNode> =
        typeof uid === "string" && uid !== ""
            ? { name, uid: digest(uid).slice(0, UID_DIGITS), podCIDRs, internalIPs, externalIPs }
            : { name, podCIDRs, internalIPs, externalIPs };
    readInternalIP(annotation, facts);
    for (const { field, name, limit } of ANNOTATIONS) {
        const value = text(annotation(name), limit);
        if (value !== undefined) facts[field] = value;
    }
    const location = readLocation(annotation, labels);
    if (location !== undefined) facts.location = location;
    // presence is all that counts: even "false" makes a leader (docs/kilo.md: leader by presence)
    if (isRecord(annotations) && Object.hasOwn(annotations, "kilo.squat.ai/leader")) facts.leader = true;
    if (!selector.every(([key, value]) => own(labels, key) === value)) facts.unselected = true;
    if (annotation(IGNORE_ANNOTATION) === "true") facts.ignored = true;
    if (Number(annotation("kilo.squat.ai/persistent-keepalive")) > 0) facts.dials = true;
    if (isStale(annotation(LAST_SEEN), now)) facts.stale = true;
    return facts;
}

export function isUsableName(name: unknown): name is string {
    return typeof name === "string" && name !== "" && name.length <= LONGEST_NAME && !UNPRINTABLE.test(name);
}

function readPodCIDRs(spec: unknown): readonly string[] {
    const plural = list(own(spec, "podCIDRs"));
    const single = own(spec, "podCIDR");
    const texts = plural.length > 0 ? plural : single === undefined || single === "" ? [] : [single];
    // too many is as bad as unreadable: leaving some out would hide those that are out of range
    if (texts.length > MOST_POD_CIDRS) return ["…"];
    return texts.map((value) => text(value, LONGEST_CIDR) ?? "…");
}

function readAddresses(addresses: unknown): Pick<NodeFacts, "internalIPs" | "externalIPs"> {
    const entries = list(addresses);
    return { internalIPs: addressesOf(entries, "InternalIP"), externalIPs: addressesOf(entries, "ExternalIP") };
}

/** Each list is as long as it must be: an array that grew holds 17 places, and facts live as long as the plan. */
function addressesOf(entries: readonly unknown[], type: string): readonly string[] {
    let found = NO_ADDRESSES;
    for (const entry of entries) {
        const value = own(entry, "type") === type ? own(entry, "address") : undefined;
        if (typeof value !== "string" || found.length >= MOST_ADDRESSES) continue;
        const address = addressOf(value)?.text;
        if (address !== undefined && !found.includes(address)) found = [...found, address];
    }
    return found;
}

const NO_ADDRESSES: readonly string[] = [];

/**
 * force-internal-ip decides where it can be read: `-` or nothing means none, a bare IP is ignored (docs/kilo.md: no
 * internal IP).
 */
function readInternalIP(annotation: Reader, facts: Mutable<KnownNode>): void {
    const forced = annotation("kilo.squat.ai/force-internal-ip");
    const written = annotation("kilo.squat.ai/internal-ip");
    const none = forced === "-" || forced === "";
    const host = none ? undefined : (internalHost(forced) ?? internalHost(written));
    if (host !== undefined) facts.kiloInternalIP = host;
    else if (none || written === "") facts.noInternalIP = true;
}

function internalHost(value: unknown): string | undefined {
    return typeof value === "string" ? hostOf(value) : undefined;
}

/** The annotation overrides the region label even when it is empty (docs/kilo.md: location before region). */
function readLocation(annotation: Reader, labels: unknown): string | undefined {
    const value = annotation("kilo.squat.ai/location") ?? own(labels, REGION_LABEL);
    if (typeof value !== "string" || value === "") return undefined;
    // two long locations must not become one because their beginnings are alike
    return value.length > LONGEST_LOCATION ? `${value.slice(0, 200)}…${digest(value)}` : value;
}

/** When a node becomes stale if nothing more is heard of it, unix seconds; undefined where it says nothing. */
export function staleFrom(node: KubeNode): number | undefined {
    const lastSeen = node.metadata?.annotations?.[LAST_SEEN];
    return lastSeen ? secondsOf(lastSeen) + SECONDS_TO_STALE : undefined;
}

const secondsOf = (lastSeen: unknown): number =>
    typeof lastSeen === "string" && /^\d{1,15}$/.test(lastSeen) ? Number(lastSeen) : 0;

/** A missing `last-seen` says nothing: a Kilo restart takes it away for a moment. */
function isStale(lastSeen: unknown, now = Number.NaN): boolean {
    if (!Number.isFinite(now) || lastSeen === undefined || lastSeen === "") return false;
    return now - secondsOf(lastSeen) >= SECONDS_TO_STALE;
}
