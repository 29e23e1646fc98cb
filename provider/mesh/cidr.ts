import { type Address, type AddressProblem, addressText, parseAddress, V6_ORIGIN } from "./address";

/** A CIDR block as a range on the line of `Address`. Two blocks nest or are disjoint. */
export interface Network {
    readonly family: 4 | 6;
    readonly first: bigint;
    readonly last: bigint;
    readonly prefix: number;
    /** Canonical text, masked. */
    readonly text: string;
}

/** Why a text is not a network we accept, and what to write instead. */
export interface CidrProblem {
    readonly code: "CidrInvalid" | "CidrMapped" | "CidrZone" | "CidrHostBits" | "CidrDefaultRoute";
    readonly problem: string;
    readonly fix: string;
}

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** As people should write it in arguments: masked, with a prefix, not a default route. */
export function parseCidr(text: string): Network | CidrProblem {
    const host = parseHost(text);
    if ("problem" in host) return host;
    const network = networkAround(host.address, host.prefix);
    if (host.prefix === 0) {
        return {
            code: "CidrDefaultRoute",
            problem: "is a default route",
            fix: "name the ranges of the cluster; a default route would send all traffic into the tunnel",
        };
    }
    if (network.first !== host.address.point) {
        return { code: "CidrHostBits", problem: "has bits set after its prefix", fix: `write ${network.text}` };
    }
    return network;
}

/** As an API server hands it out: bits after the prefix are masked away, as Kilo does when it reads it. */
export function networkOf(text: string): Network | undefined {
    const host = parseHost(text);
    return "problem" in host ? undefined : networkAround(host.address, host.prefix);
}

/** The address in front of the prefix: `10.4.0.1/16` is the host 10.4.0.1. */
export function hostOf(text: string): Address | undefined {
    const host = parseHost(text);
    return "problem" in host ? undefined : host.address;
}

export function hostRoute(address: Address): Network {
    const { family, point, text } = address;
    const prefix = family === 4 ? 32 : 128;
    return { family, first: point, last: point, prefix, text: `${text}/${prefix}` };
}

/** The block of that prefix length around a network; prefix lengths beyond its own leave it as it is. */
export function supernet(network: Network, prefix: number): Network {
    return prefix >= network.prefix ? network : blockAround(network.family, network.first, prefix);
}

export function contains(outer: Network, inner: Network): boolean {
    return outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Network, b: Network): boolean {
    return a.first <= b.last && b.first <= a.last;
}

/** By family, then address, then the larger first. */
export function byRange(a: Network, b: Network): number {
    if (a.first !== b.first) return a.first < b.first ? -1 : 1;
    return a.prefix - b.prefix;
}

/** Sorted, without those that lie inside another. */
export function outermost(networks: readonly Network[]): readonly Network[] {
    if (networks.length < 2) return networks;
    const kept: Network[] = [];
    for (const next of [...networks].sort(byRange)) {
        const outer = kept.at(-1);
        if (outer === undefined || outer.last < next.first) kept.push(next);
    }
    return kept;
}

/** What both lists have in common. Both must be `outermost`. */
export function intersection(a: readonly Network[], b: readonly Network[]): readonly Network[] {
    const common: Network[] = [];
    for (const x of a) {
        for (const y of b) {
            if (contains(y, x)) common.push(x);
            else if (contains(x, y)) common.push(y);
        }
    }
    return common.sort(byRange);
}

function parseHost(text: string): { readonly address: Address; readonly prefix: number } | CidrProblem {
    const slash = text.indexOf("/");
    if (slash < 0) return invalid("has no prefix length");
    const address = parseAddress(text.slice(0, slash));
    if (typeof address === "string") return addressProblem(address);
    const digits = text.slice(slash + 1);
    const prefix = PREFIX.test(digits) ? Number(digits) : Number.NaN;
    const longest = address.family === 4 ? 32 : 128;
    return prefix <= longest ? { address, prefix } : invalid(`has a prefix length that is not 0 to ${longest}`);
}

function networkAround(address: Address, prefix: number): Network {
    return blockAround(address.family, address.point, prefix, address.text);
}

function blockAround(family: 4 | 6, point: bigint, prefix: number, pointText?: string): Network {
    const origin = family === 4 ? 0n : V6_ORIGIN;
    const hostBits = BigInt((family === 4 ? 32 : 128) - prefix);
    const first = (((point - origin) >> hostBits) << hostBits) + origin;
    const last = first + (1n << hostBits) - 1n;
    const text = first === point && pointText !== undefined ? pointText : addressText(family, first);
    return { family, first, last, prefix, text: `${text}/${prefix}` };
}

const EXAMPLE = "write it as address/prefix, for example 10.1.0.0/16 or fd00:1::/48";

function invalid(problem: string): CidrProblem {
    return { code: "CidrInvalid", problem, fix: EXAMPLE };
}

function addressProblem(problem: AddressProblem): CidrProblem {
    switch (problem) {
        case "mapped":
            return {
                code: "CidrMapped",
                problem: "embeds an IPv4 address in IPv6 text",
                fix: "write the IPv4 range in dotted form, for example 10.1.0.0/16",
            };
        case "zone":
            return {
                code: "CidrZone",
                problem: "has a zone id",
                fix: "leave out the % and what follows; zones mean nothing on another host",
            };
        case "malformed":
            return invalid("is not a network");
    }
}
