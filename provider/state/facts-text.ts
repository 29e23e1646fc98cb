import type { NodeFacts } from "../kilo/types";
import { UNKNOWN } from "../values/unknown";
import { decodeLettered } from "./facts-text-1";
import { joinLines, splitLines } from "./line-list";

/**
 * Node facts as one line of text, because the engine's cost grows with the number of values and not of bytes
 * (docs/pulumi.md: cost grows with values). It is what `pulumi preview --diff` shows of a node:
 *
 *     pods=10.2.1.0/24 ip=192.168.1.7 key=<key> wg=10.4.0.1/16 endpoint=ip:51820 full
 *
 * The first word is always `pods=`. An address that repeats the first internal or external one is written as `ip` or
 * `external`, and the address that Kilo uses is left out where it is the first internal one.
 */
const TEXTS = [
    ["key", "key"],
    ["wg", "wireguardIP"],
    ["clustermesh-endpoint", "clustermeshEndpoint"],
    ["force-endpoint", "forceEndpoint"],
    ["endpoint", "kiloEndpoint"],
    ["granularity", "granularity"],
    ["location", "location"],
    ["uid", "uid"],
] as const;
const LISTS = [
    ["pods", "podCIDRs"],
    ["ip", "internalIPs"],
    ["external", "externalIPs"],
] as const;
const FLAGS = [
    ["leader", "leader"],
    ["no-internal-ip", "noInternalIP"],
    ["not-selected", "unselected"],
    ["ignored", "ignored"],
    ["dials", "dials"],
] as const;
/** Granularities that are so common that they are written alone. */
const ALONE: ReadonlySet<string> = new Set(["full", "cross"]);
const KILO_IP = "kilo-ip";
const NO_KILO_IP = "no-kilo-ip";

export function encodeFacts(facts: NodeFacts): string {
    const words: string[] = [];
    for (const [word, field] of LISTS) {
        if (facts[field].length > 0 || field === "podCIDRs") words.push(`${word}=${facts[field].map(item).join(",")}`);
    }
    const { kiloInternalIP, internalIPs } = facts;
    if (kiloInternalIP !== internalIPs[0]) {
        words.push(kiloInternalIP === undefined ? NO_KILO_IP : `${KILO_IP}=${escaped(kiloInternalIP)}`);
    }
    for (const [word, field] of TEXTS) {
        const value = facts[field];
        if (value === undefined) continue;
        words.push(field === "granularity" && ALONE.has(value) ? value : `${word}=${abbreviate(value, facts)}`);
    }
    for (const [word, field] of FLAGS) if (facts[field] === true) words.push(word);
    return words.join(" ");
}

/** Words of a later version are passed over, so that an older one can read its state. */
export function decodeFacts(name: string, line: string): NodeFacts {
    if (!line.startsWith("pods=")) return decodeLettered(name, line);
    const words = new Map<string, string>();
    for (const word of line.split(" ")) {
        const at = word.indexOf("=");
        words.set(at < 0 ? word : word.slice(0, at), at < 0 ? "" : word.slice(at + 1));
    }
    const lists = Object.fromEntries(
        LISTS.map(([word, field]) => [field, (words.get(word) || undefined)?.split(",").map(plainItem) ?? []]),
    ) as unknown as Pick<NodeFacts, "podCIDRs" | "internalIPs" | "externalIPs">;
    const texts: Record<string, string> = {};
    for (const alone of ALONE) if (words.has(alone)) texts.granularity = alone;
    for (const [word, field] of TEXTS) {
        const value = words.get(word);
        if (value !== undefined) texts[field] = expand(value, lists);
    }
    const kiloIP = words.get(KILO_IP);
    const used = kiloIP === undefined ? lists.internalIPs[0] : plain(kiloIP);
    if (used !== undefined && !words.has(NO_KILO_IP)) texts.kiloInternalIP = used;
    const flags: Record<string, true> = {};
    for (const [word, field] of FLAGS) if (words.has(word)) flags[field] = true;
    return { name, ...lists, ...texts, ...flags };
}

type Addresses = Pick<NodeFacts, "internalIPs" | "externalIPs">;

const REPEATED = [
    ["ip", "internalIPs"],
    ["external", "externalIPs"],
] as const;

/** A value that only looks like an abbreviation has its first letter escaped. */
function abbreviate(value: string, addresses: Addresses): string {
    const colon = value.lastIndexOf(":");
    for (const [word, field] of REPEATED) {
        if (colon !== -1 && value.slice(0, colon) === addresses[field][0]) return word + escaped(value.slice(colon));
    }
    return REPEATED.some(([word]) => value.startsWith(`${word}:`))
        ? hex(value) + escaped(value.slice(1))
        : escaped(value);
}

function expand(text: string, addresses: Addresses): string {
    for (const [word, field] of REPEATED) {
        const [address] = addresses[field];
        if (address !== undefined && text.startsWith(`${word}:`)) return address + plain(text.slice(word.length));
    }
    return plain(text);
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Per UTF-16 unit, so that halves of surrogate pairs survive too. */
const escaped = (text: string): string => text.replace(/[^\x21-\x7e]|[%,]/g, hex);

/** Almost nothing is escaped, and a search costs less than a replacement. */
const plain = (text: string): string =>
    text.includes("%")
        ? text.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        : text;

/** An empty entry of a list, which an empty list must not be taken for. */
const EMPTY = "%";
const item = (text: string): string => (text === "" ? EMPTY : escaped(text));
const plainItem = (text: string): string => (text === EMPTY ? "" : plain(text));

/** All nodes of a cluster as one text, a line each. */
export const encodeNodes = (facts: readonly NodeFacts[]): string =>
    joinLines(Object.fromEntries(facts.map((node) => [node.name, encodeFacts(node)])));

export const decodeNodes = (text: unknown): readonly NodeFacts[] =>
    Object.entries(text === UNKNOWN ? {} : splitLines(text)).map(([name, line]) => decodeFacts(name, line));
