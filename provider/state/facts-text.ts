import type { NodeFacts } from "../kilo/types";
import { joinLines, splitLines } from "./line-list";

/**
 * Node facts as one line of text, because the engine's cost grows with the number of values and not of bytes
 * (docs/pulumi.md: cost grows with values). Words are separated by spaces; the first letter says which fact follows:
 *
 *     p10.2.1.0/24 i192.168.1.7 k<key> w10.4.0.1/16 n%i e%i:51820 g%F
 *
 * An address that repeats the first internal or external one is written as `%i` or `%x`, a granularity as one letter.
 */
const TEXTS = [
    ["u", "uid"],
    ["k", "key"],
    ["w", "wireguardIP"],
    ["n", "kiloInternalIP"],
    ["c", "clustermeshEndpoint"],
    ["f", "forceEndpoint"],
    ["e", "kiloEndpoint"],
    ["g", "granularity"],
    ["l", "location"],
] as const;
const WORDS: Readonly<Record<string, string>> = { full: "%F", cross: "%C", location: "%L" };
const LISTS = [
    ["p", "podCIDRs"],
    ["i", "internalIPs"],
    ["x", "externalIPs"],
] as const;
const FLAGS = [
    ["L", "leader"],
    ["N", "noInternalIP"],
    ["U", "unselected"],
    ["I", "ignored"],
    ["D", "dials"],
] as const;

export function encodeFacts(facts: NodeFacts): string {
    const words: string[] = [];
    for (const [letter, field] of LISTS) {
        if (facts[field].length > 0) words.push(letter + facts[field].map(escaped).join(","));
    }
    for (const [letter, field] of TEXTS) {
        const value = facts[field];
        if (value !== undefined) words.push(letter + abbreviate(value, facts));
    }
    const flags = FLAGS.map(([letter, field]) => (facts[field] === true ? letter : "")).join("");
    if (flags !== "") words.push(`!${flags}`);
    return words.join(" ");
}

/** Words of a later version are passed over, so that an older one can read its state. */
export function decodeFacts(name: string, line: string): NodeFacts {
    const words = new Map<string, string>();
    for (const word of line.split(" ")) words.set(word.charAt(0), word.slice(1));
    const lists = Object.fromEntries(
        LISTS.map(([letter, field]) => [field, words.get(letter)?.split(",").map(plain) ?? []]),
    ) as unknown as Pick<NodeFacts, "podCIDRs" | "internalIPs" | "externalIPs">;
    const texts: Record<string, string> = {};
    for (const [letter, field] of TEXTS) {
        const value = words.get(letter);
        if (value !== undefined) texts[field] = expand(value, lists);
    }
    const flags: Record<string, true> = {};
    for (const [letter, field] of FLAGS) {
        if (words.get("!")?.includes(letter)) flags[field] = true;
    }
    return { name, ...lists, ...texts, ...flags };
}

type Addresses = Pick<NodeFacts, "internalIPs" | "externalIPs">;

/** None of the abbreviations can come out of `escaped`, so an abbreviation is never mistaken for a value. */
function abbreviate(value: string, { internalIPs, externalIPs }: Addresses): string {
    const colon = value.lastIndexOf(":");
    for (const [letter, address] of [
        ["%i", internalIPs[0]],
        ["%x", externalIPs[0]],
    ] as const) {
        if (address === undefined) continue;
        if (value === address) return letter;
        if (colon > 0 && value.slice(0, colon) === address) return letter + escaped(value.slice(colon));
    }
    return Object.hasOwn(WORDS, value) ? WORDS[value]! : escaped(value);
}

function expand(word: string, { internalIPs, externalIPs }: Addresses): string {
    for (const [text, short] of Object.entries(WORDS)) if (word === short) return text;
    const start = word.slice(0, 2);
    const address = start === "%i" ? internalIPs[0] : start === "%x" ? externalIPs[0] : undefined;
    return address === undefined ? plain(word) : address + plain(word.slice(2));
}

/** Per UTF-16 unit, so that halves of surrogate pairs survive too. */
function escaped(text: string): string {
    return text.replace(/[^\x21-\x7e]|[%,]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function plain(text: string): string {
    return text.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** All nodes of a cluster as one text, a line each. */
export const encodeNodes = (facts: readonly NodeFacts[]): string =>
    joinLines(Object.fromEntries(facts.map((node) => [node.name, encodeFacts(node)])));

export const decodeNodes = (text: unknown): readonly NodeFacts[] =>
    Object.entries(splitLines(text)).map(([name, line]) => decodeFacts(name, line));
