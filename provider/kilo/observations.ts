import { addressOf } from "../net/address";
import { byText } from "../values/show";
import { guarded, isRecord, list, own } from "../values/untrusted";
import { endpointAt, isReachable } from "./endpoint";
import { isPublicKey } from "./public-key";

/** Public key to every `ip:port` at which a cluster's nodes see it, in the order of the nodes' names. */
export type Observations = Readonly<Record<string, readonly string[]>>;

const ANNOTATION = "kilo.squat.ai/discovered-endpoints";
/** Kubernetes allows 256 KiB of annotations per object; a longer text did not come from an API server. */
const LONGEST = 256 * 1024;

/** What a cluster's nodes observed. Whatever cannot be read or reached is passed over in silence. */
export function readObservations(nodes: readonly unknown[]): Observations {
    const texts: { readonly name: string; readonly text: string }[] = [];
    for (const node of list(nodes)) {
        const entry = guarded(readEntry, node);
        if (entry !== undefined) texts.push(entry);
    }
    texts.sort((a, b) => byText(a.name, b.name) || byText(a.text, b.text));
    const found = new Map<string, string[]>();
    for (const { text } of texts) collect(text, found);
    return Object.fromEntries([...found].sort(([a], [b]) => byText(a, b)));
}

/**
 * The keys that each node had a handshake with, by the node's name. Each has its own list, and one that works must not
 * hide one that does not (docs/kilo.md: what a handshake proves).
 */
export function readHandshakes(nodes: readonly unknown[]): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, ReadonlySet<string>>();
    for (const node of list(nodes)) {
        const entry = guarded(readEntry, node);
        if (entry === undefined) continue;
        const parsed: unknown = guarded(JSON.parse, entry.text);
        found.set(entry.name, new Set(isRecord(parsed) ? Object.keys(parsed).filter(isPublicKey) : []));
    }
    return found;
}

function readEntry(node: unknown): { readonly name: string; readonly text: string } | undefined {
    const metadata = own(node, "metadata");
    const text = own(own(metadata, "annotations"), ANNOTATION);
    if (typeof text !== "string" || text.length > LONGEST) return undefined;
    const name = own(metadata, "name");
    return typeof name === "string" ? { name, text } : undefined;
}

function collect(text: string, found: Map<string, string[]>): void {
    const parsed: unknown = guarded(JSON.parse, text);
    if (!isRecord(parsed)) return;
    for (const key of Object.keys(parsed)) {
        if (!isPublicKey(key)) continue;
        const observed = readObservation(parsed[key]);
        if (observed === undefined) continue;
        const before = found.get(key);
        if (before === undefined) found.set(key, [observed]);
        else if (!before.includes(observed)) before.push(observed);
    }
}

function readObservation(value: unknown): string | undefined {
    const ip = own(value, "IP");
    const port = own(value, "Port");
    const zone = own(value, "Zone");
    if (typeof ip !== "string" || typeof port !== "number" || (zone !== undefined && zone !== "")) return undefined;
    if (!Number.isInteger(port) || port < 1 || port > 65535) return undefined;
    const address = addressOf(ip);
    return address !== undefined && isReachable(address) ? endpointAt(address, port).text : undefined;
}
