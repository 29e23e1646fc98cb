import { type Address, formatAddress, parseAddress } from "./addresses";

/** Where a packet is sent to. */
export interface Endpoint {
    readonly ip: Address;
    readonly port: number;
}

/** As an annotation or a Peer states it: the host is an address or a name that must be resolved. */
export interface StatedEndpoint {
    readonly host: string;
    readonly ip?: Address;
    readonly port: number;
}

export type Resolve = (name: string) => string | undefined;

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const isDnsName = (text: string): boolean =>
    text.length <= 253 && text.split(".").every((label) => label.length <= 63 && LABEL.test(label));

export const isPort = (port: unknown): port is number =>
    Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65535;

/** `198.51.100.11:51820`, `[2001:db8::1]:51820` or `name.example:51820`. */
export function parseEndpoint(text: string | undefined): StatedEndpoint | undefined {
    const [, v6, host = v6, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text ?? "") ?? [];
    const port = Number(digits);
    if (host === undefined || !isPort(port)) return undefined;
    const ip = parseAddress(host);
    if (ip !== undefined) return (typeof ip === "bigint") === (v6 !== undefined) ? { host, ip, port } : undefined;
    return v6 === undefined && isDnsName(host) ? { host, port } : undefined;
}

export function resolved({ host, ip, port }: StatedEndpoint, resolve: Resolve): Endpoint | undefined {
    if (ip !== undefined) return { ip, port };
    const answer = parseAddress(host) === undefined ? resolve(host) : host;
    const address = answer === undefined ? undefined : parseAddress(answer);
    return address === undefined ? undefined : { ip: address, port };
}

export const sameEndpoint = (a: Endpoint | undefined, b: Endpoint | undefined): boolean =>
    a?.ip === b?.ip && a?.port === b?.port;

export const endpointId = ({ ip, port }: Endpoint): string => `${formatAddress(ip)} port ${port}`;

/** docs/kilo.md, leaders: 100.64.0.0/10 counts as public, and of the unique local addresses only fd00::/16 does not. */
export function isPublic({ ip }: Endpoint): boolean {
    if (typeof ip === "bigint") return ip >> 112n !== 0xfd00n;
    return ip >>> 24 !== 10 && ip >>> 20 !== 0xac1 && ip >>> 16 !== 0xc0a8;
}
