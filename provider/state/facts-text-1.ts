import type { NodeFacts } from "../kilo/types";

/**
 * Node facts as members of schema version 1 recorded them, which is in users' state forever. Words are separated by spaces;
 * the first letter says which fact follows:
 *
 *     p10.2.1.0/24 i192.168.1.7 k<key> w10.4.0.1/16 n%i e%i:51820 g%F
 *
 * An address that repeats the first internal or external one is `%i` or `%x`, a granularity one letter.
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
const WORDS: Readonly<Record<string, string>> = { "%F": "full", "%C": "cross", "%L": "location" };
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

/** That a node was stale (`S` in 0.1.0) is no fact any more; such words are passed over. */
export function decodeLettered(name: string, line: string): NodeFacts {
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

function expand(word: string, { internalIPs, externalIPs }: Pick<NodeFacts, "internalIPs" | "externalIPs">): string {
    if (Object.hasOwn(WORDS, word)) return WORDS[word]!;
    const start = word.slice(0, 2);
    const address = start === "%i" ? internalIPs[0] : start === "%x" ? externalIPs[0] : undefined;
    return address === undefined ? plain(word) : address + plain(word.slice(2));
}

const plain = (text: string): string =>
    text.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
