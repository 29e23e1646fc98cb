import { isIPv4, isIPv6 } from "node:net";

/** A number is IPv4, a bigint is IPv6. */
export type Address = number | bigint;

export interface Cidr {
    readonly text: string;
    /** As it was written, host bits and all. */
    readonly address: Address;
    readonly length: number;
    readonly network: Address;
    /** No host bits are set. */
    readonly masked: boolean;
    /** Equal for one address and length in any spelling; host bits count. */
    readonly id: string;
}

export function parseAddress(text: string): Address | undefined {
    if (isIPv4(text)) return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
    if (!isIPv6(text) || text.includes("%")) return undefined;
    const [head = "", tail] = text.split("::");
    const [before, after] = [groups(head), groups(tail ?? "")];
    const missing = Array.from({ length: 8 - before.length - after.length }, () => 0);
    return [...before, ...missing, ...after].reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

function groups(text: string): number[] {
    if (text === "") return [];
    return text.split(":").flatMap((group) => {
        if (!group.includes(".")) return [Number.parseInt(group, 16)];
        const v4 = parseAddress(group) as number;
        return [v4 >>> 16, v4 & 0xffff];
    });
}

export function formatAddress(address: Address): string {
    if (typeof address === "number") return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
    const hex = address.toString(16).padStart(32, "0");
    return hex.match(/.{4}/g)!.join(":");
}

export const widthOf = (address: Address): number => (typeof address === "number" ? 32 : 128);

export function mask(address: Address, length: number): Address {
    if (typeof address === "number") return length === 0 ? 0 : (address & (-1 << (32 - length))) >>> 0;
    const rest = BigInt(128 - length);
    return (address >> rest) << rest;
}

/** Random tests draw the same few thousand networks again and again; parsing them was most of a model's cost. */
const parsed = new Map<string, Cidr | undefined>();
const PARSED_AT_MOST = 20_000;

/** Host bits are kept, as Kilo keeps them (docs/kilo.md: masked ranges only). */
export function parseCidr(text: string): Cidr | undefined {
    if (parsed.has(text)) return parsed.get(text);
    if (parsed.size >= PARSED_AT_MOST) parsed.clear();
    const cidr = read(text);
    parsed.set(text, cidr);
    return cidr;
}

function read(text: string): Cidr | undefined {
    const [, host, digits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
    const address = host === undefined ? undefined : parseAddress(host);
    if (address === undefined || Number(digits) > widthOf(address)) return undefined;
    return cidrOf(address, Number(digits), text);
}

export function cidrOf(address: Address, length = widthOf(address), text?: string): Cidr {
    const network = mask(address, length);
    return {
        text: text ?? `${formatAddress(address)}/${length}`,
        address,
        length,
        network,
        masked: network === address,
        id: networkId(address, length),
    };
}

export const networkId = (address: Address, length: number): string =>
    `${typeof address === "number" ? 4 : 6}:${address}/${length}`;

export const contains = (outer: Cidr, address: Address): boolean =>
    typeof outer.network === typeof address && mask(address, outer.length) === outer.network;
