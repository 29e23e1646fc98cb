import { Address6 } from "ip-address";

/**
 * A place on one number line: all of IPv4 comes first, as plain numbers, then all of IPv6, as bigints. The language compares
 * the two by value, and a mesh is mostly IPv4, for which bigints would take a tenth of planning.
 */
export type Point = number | bigint;

/** Addresses from `first` to `last`. */
export interface Range {
    readonly first: Point;
    readonly last: Point;
}

/** A range of one address. As families share the line, ranges of different families never overlap. */
export interface Address extends Range {
    readonly family: 4 | 6;
    /** Canonical text: dotted quad, or RFC 5952. */
    readonly text: string;
}

/** Why a text is not an address we accept. */
export type AddressProblem = "malformed" | "mapped" | "zone";

export const V6_ORIGIN = 1n << 32n;
const MAPPED_FIRST = 0xffff_0000_0000n;
const MAPPED_LAST = 0xffff_ffff_ffffn;
/** The longest IPv6 text without a zone. */
const LONGEST = 39;

export function parseAddress(text: string): Address | AddressProblem {
    return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** The address, or undefined where the reason does not matter. */
export function addressOf(text: string): Address | undefined {
    const parsed = parseAddress(text);
    return typeof parsed === "string" ? undefined : parsed;
}

function parseV4(text: string): Address | AddressProblem {
    const point = v4Value(text, text.length);
    return point < 0 ? "malformed" : { family: 4, first: point, last: point, text };
}

/**
 * The dotted quad in front of `end` as a number, or -1. Written out because it is asked several times per node and `ip-address` takes
 * 2 µs each time; a property test holds it to what `ip-address` says. A text that passes is canonical.
 */
export function v4Value(text: string, end: number): number {
    let value = 0;
    let octet = -1;
    let dots = 0;
    for (let i = 0; i < end; i++) {
        const code = text.charCodeAt(i);
        if (code === 46) {
            if (octet < 0 || ++dots > 3) return -1;
            value = value * 256 + octet;
            octet = -1;
        } else {
            const digit = code - 48;
            // a leading zero is octal to some readers and decimal to others
            if (digit < 0 || digit > 9 || octet === 0) return -1;
            octet = octet < 0 ? digit : octet * 10 + digit;
            if (octet > 255) return -1;
        }
    }
    return dots === 3 && octet >= 0 ? value * 256 + octet : -1;
}

function parseV6(text: string): Address | AddressProblem {
    if (text.includes("%")) return "zone";
    if (text.includes(".")) return v4Value(tail(text), tail(text).length) < 0 ? "malformed" : "mapped";
    if (text.length > LONGEST || text.includes("/")) return "malformed";
    try {
        const parsed = new Address6(text);
        const value = parsed.bigInt();
        if (value >= MAPPED_FIRST && value <= MAPPED_LAST) return "mapped";
        const point = V6_ORIGIN + value;
        return { family: 6, first: point, last: point, text: parsed.correctForm() };
    } catch {
        return "malformed";
    }
}

function tail(text: string): string {
    return text.slice(text.lastIndexOf(":") + 1);
}

/** The order of points. */
export function byPoint(a: Point, b: Point): number {
    return a < b ? -1 : a > b ? 1 : 0;
}

/** The text of a point. */
export function addressText(point: Point): string {
    if (typeof point === "bigint") return Address6.fromBigInt(point - V6_ORIGIN).correctForm();
    return `${point >>> 24}.${(point >>> 16) & 255}.${(point >>> 8) & 255}.${point & 255}`;
}
