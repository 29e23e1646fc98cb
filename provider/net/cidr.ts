import type { Fix } from "../values/fix";
import {
    type Address,
    type AddressProblem,
    addressText,
    byPoint,
    parseAddress,
    type Range,
    V6_ORIGIN,
    v4Value,
} from "./address";

/** A CIDR block. Two blocks nest or are disjoint. */
export interface Network extends Range {
    readonly family: 4 | 6;
    readonly prefix: number;
    /** Canonical text, masked. */
    readonly text: string;
}

/** Why a text is not a network we accept, and what to write instead. */
export interface CidrProblem {
    readonly code: "CidrInvalid" | "CidrMapped" | "CidrZone" | "CidrHostBits" | "CidrDefaultRoute";
    readonly problem: string;
    readonly fix: Fix;
}

/** As people should write it in arguments: masked, with a prefix, not a default route. */
export function parseCidr(text: string): Network | CidrProblem {
    const host = parseHost(text);
    if ("problem" in host) return host;
    const network = networkAround(host.address, host.prefix);
    if (host.prefix === 0) {
        return {
            code: "CidrDefaultRoute",
            problem: "is a default route",
            fix: "Name the ranges of the cluster; a default route would send all traffic into the tunnel",
        };
    }
    if (network.first !== host.address.first) {
        return { code: "CidrHostBits", problem: "has bits set after its prefix", fix: `Write ${network.text}` };
    }
    return network;
}

/** As an API server hands it out: bits after the prefix are masked away, as Kilo does when it reads it. */
export function networkOf(text: string): Network | undefined {
    const slash = text.indexOf("/");
    const value = v4Value(text, slash);
    if (value >= 0) {
        const prefix = prefixAfter(text, slash);
        return prefix <= 32 ? v4Network(value, prefix, text) : undefined;
    }
    const host = parseHost(text);
    return "problem" in host ? undefined : networkAround(host.address, host.prefix);
}

/** The address in front of the prefix: `10.4.0.1/16` is the host 10.4.0.1. */
export function hostAddress(text: string): Address | undefined {
    const host = parseHost(text);
    return "problem" in host ? undefined : host.address;
}

/** Its canonical text. */
export function hostOf(text: string): string | undefined {
    return hostAddress(text)?.text;
}

export function hostRoute(address: Address): Network {
    const { family, first, last, text } = address;
    const prefix = family === 4 ? 32 : 128;
    return { family, first, last, prefix, text: `${text}/${prefix}` };
}

/** The block of that prefix length around a network; prefix lengths beyond its own leave it as it is. */
export function supernet(network: Network, prefix: number): Network {
    if (prefix >= network.prefix) return network;
    return networkAround({ ...network, text: addressIn(network) }, prefix);
}

/** The text in front of the prefix. */
export function addressIn({ text }: Network): string {
    return text.slice(0, text.indexOf("/"));
}

export function contains(outer: Range, inner: Range): boolean {
    return outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Range, b: Range): boolean {
    return a.first <= b.last && b.first <= a.last;
}

/** By family, then address, then the larger first. */
export function byRange(a: Range, b: Range): number {
    return byPoint(a.first, b.first) || byPoint(b.last, a.last);
}

/** Sorted, without those that lie inside another. */
export function outermost(networks: readonly Network[]): readonly Network[] {
    // as of most nodes, which have one pod network
    if (networks.length < 2) return networks;
    const kept: Network[] = [];
    for (const next of [...networks].sort(byRange)) {
        const outer = kept.at(-1);
        if (outer === undefined || outer.last < next.first) kept.push(next);
    }
    return kept;
}

/** What both lists have in common, in order. Both must be `outermost`. */
export function intersection(a: readonly Network[], b: readonly Network[]): readonly Network[] {
    const common: Network[] = [];
    for (const x of a) {
        for (const y of b) {
            if (contains(y, x)) common.push(x);
            else if (contains(x, y)) common.push(y);
        }
    }
    return common;
}

function parseHost(text: string): { readonly address: Address; readonly prefix: number } | CidrProblem {
    const slash = text.indexOf("/");
    if (slash < 0) return invalid("has no prefix length");
    const address = parseAddress(text.slice(0, slash));
    if (typeof address === "string") return addressProblem(address);
    const longest = address.family === 4 ? 32 : 128;
    const prefix = prefixAfter(text, slash);
    return prefix <= longest ? { address, prefix } : invalid(`has a prefix length that is not 0 to ${longest}`);
}

/** The number behind the slash; infinite where there is none, or where it is written in an odd way. */
function prefixAfter(text: string, slash: number): number {
    const digits = text.length - slash - 1;
    if (digits < 1) return Number.POSITIVE_INFINITY;
    let prefix = 0;
    for (let i = slash + 1; i < text.length; i++) {
        const digit = text.charCodeAt(i) - 48;
        if (digit < 0 || digit > 9 || (digit === 0 && prefix === 0 && digits > 1)) return Number.POSITIVE_INFINITY;
        prefix = prefix * 10 + digit;
    }
    return prefix;
}

function networkAround({ first: point, text }: Address, prefix: number): Network {
    if (typeof point === "number") return v4Network(point, prefix, `${text}/${prefix}`);
    const hostBits = BigInt(128 - prefix);
    const first = (((point - V6_ORIGIN) >> hostBits) << hostBits) + V6_ORIGIN;
    const last = first + (1n << hostBits) - 1n;
    return { family: 6, first, last, prefix, text: `${first === point ? text : addressText(first)}/${prefix}` };
}

/** With the text as it is where nothing is masked: most networks are IPv4 ones of nodes. */
function v4Network(value: number, prefix: number, text: string): Network {
    const size = 2 ** (32 - prefix);
    const first = value - (value % size);
    const last = first + size - 1;
    return { family: 4, first, last, prefix, text: first === value ? text : `${addressText(first)}/${prefix}` };
}

const EXAMPLE = "Write it as address/prefix, for example 10.1.0.0/16 or fd00:1::/48";

function invalid(problem: string): CidrProblem {
    return { code: "CidrInvalid", problem, fix: EXAMPLE };
}

function addressProblem(problem: AddressProblem): CidrProblem {
    switch (problem) {
        case "mapped":
            return {
                code: "CidrMapped",
                problem: "embeds an IPv4 address in IPv6 text",
                fix: "Write the IPv4 range in dotted form, for example 10.1.0.0/16",
            };
        case "zone":
            return {
                code: "CidrZone",
                problem: "has a zone id",
                fix: "Leave out the % and what follows; zones mean nothing on another host",
            };
        case "malformed":
            return invalid("is not a network");
    }
}
