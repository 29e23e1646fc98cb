import { addressOf } from "../net/address";
import { byText } from "../values/show";
import { guarded, isRecord, isWhole, list, own } from "../values/untrusted";
import { endpointAt, isReachable } from "./endpoint";
import { isPublicKey } from "./public-key";

/** Public key to every `ip:port` at which a cluster's nodes see it, in the order of the nodes' names. */
export type Observations = Readonly<Record<string, readonly string[]>>;

const ANNOTATION = "kilo.squat.ai/discovered-endpoints";
/** Kubernetes allows 256 KiB of annotations per object; a longer text did not come from an API server. */
const LONGEST = 256 * 1024;

/** What a cluster's nodes observed. Whatever cannot be read or reached is passed over in silence. */
export function readObservations(nodes: readonly unknown[]): Observations {
    const texts = readEntries(nodes).sort((a, b) => byText(a.name, b.name) || byText(a.text, b.text));
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
    for (const { name, text } of readEntries(nodes)) {
        const parsed: unknown = guarded(JSON.parse, text);
        found.set(name, new Set(isRecord(parsed) ? Object.keys(parsed).filter(isPublicKey) : []));
    }
    return found;
}

interface Entry {
    readonly name: string;
    readonly text: string;
}

const readEntries = (nodes: readonly unknown[]): Entry[] =>
    list(nodes).flatMap((node) => guarded(readEntry, node) ?? []);

function readEntry(node: unknown): Entry | undefined {
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
    if (typeof ip !== "string" || !isWhole(port, 1, 65535) || (zone !== undefined && zone !== "")) return undefined;
    const address = addressOf(ip);
    return address !== undefined && isReachable(address) ? endpointAt(address, port).text : undefined;
}
