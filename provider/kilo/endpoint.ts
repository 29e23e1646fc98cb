import { type Address, addressOf } from "../net/address";
import { contains, type Network, networkOf } from "../net/cidr";
import { own } from "../values/untrusted";
import type { NodeFacts, PeerEndpoint } from "./types";

/** Where a WireGuard peer is reached. */
export interface Endpoint {
    /** `192.0.2.1:51820`, `[2001:db8::1]:51820` or `gw.example.com:51820`. */
    readonly text: string;
    readonly spec: PeerEndpoint;
    /** Absent for a DNS name. */
    readonly address?: Address;
}

/** What a cluster says about the endpoints of its nodes. */
export interface EndpointSettings {
    readonly nat?: boolean;
    readonly wireguardPort?: number;
}

/** The endpoint a node is configured with, before any target has a say. */
export type ConfiguredEndpoint =
    | { readonly kind: "none" }
    | { readonly kind: "set"; readonly endpoint: Endpoint; readonly pinned: boolean }
    | { readonly kind: "malformed"; readonly source: string; readonly value: string };

const DEFAULT_PORT = 51820;
const PORT = /^[1-9]\d{0,4}$/;
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)*$/;
/**
 * A name that ends in a number is a mistyped address, and one unresolvable name is enough to stop Kilo (docs/kilo.md:
 * unresolvable names freeze Kilo).
 */
const NUMERIC_END = /(?:^|\.)\d+$/;

const UNUSABLE = networks("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32", "::/127", "ff00::/8");
const LINK_LOCAL = networks("169.254.0.0/16", "fe80::/10");

type ByFamily = Readonly<Record<4 | 6, readonly Network[]>>;

function networks(...texts: readonly string[]): ByFamily {
    const parsed = texts.map((text) => networkOf(text)!);
    const of = (wanted: 4 | 6) => parsed.filter(({ family }) => family === wanted);
    return { 4: of(4), 6: of(6) };
}

/** Where an endpoint leads: its own address, or the one that its name has, as far as that is known. */
export function endpointAddress(
    { address, spec }: Endpoint,
    resolved: Readonly<Record<string, string>>,
): Address | undefined {
    const { dns } = spec.dnsOrIP;
    if (dns === undefined) return address;
    const found = own(resolved, dns);
    return typeof found === "string" ? addressOf(found) : undefined;
}

/** `host:port` with an IP, a bracketed IPv6 or a DNS name; undefined when it is anything else. */
export function parseEndpoint(text: string): Endpoint | undefined {
    const colon = text.lastIndexOf(":");
    const digits = text.slice(colon + 1);
    if (!PORT.test(digits)) return undefined;
    const port = Number(digits);
    if (port > 65535) return undefined;
    const hasBrackets = text.startsWith("[") && text[colon - 1] === "]";
    const host = hasBrackets ? text.slice(1, colon - 1) : text.slice(0, colon);
    if (!hasBrackets && host.includes(":")) return undefined;
    const address = addressOf(host);
    if (address !== undefined) {
        if (within(UNUSABLE, address)) return undefined;
        // without brackets it is IPv4, and written as we would write it
        return hasBrackets ? endpointAt(address, port) : endpointAt(address, port, text);
    }
    const dns = host.toLowerCase();
    if (!DNS_NAME.test(dns) || NUMERIC_END.test(dns)) return undefined;
    return { text: `${dns}:${port}`, spec: { dnsOrIP: { dns }, port } };
}

export function endpointAt(address: Address, port: number, text = textAt(address, port)): Endpoint {
    return { text, spec: { dnsOrIP: { ip: address.text }, port }, address };
}

const textAt = ({ family, text }: Address, port: number): string =>
    family === 4 ? `${text}:${port}` : `[${text}]:${port}`;

/** Whether another cluster could ever reach it: what a node observed may be its own loopback. */
export function isReachable(address: Address): boolean {
    return !within(UNUSABLE, address) && !within(LINK_LOCAL, address);
}

function within(networks: ByFamily, address: Address): boolean {
    return networks[address.family].some((network) => contains(network, address));
}

/** Where Kilo has a node: where it was told to, else where it found it. */
export function kiloEndpointOf({ forceEndpoint, kiloEndpoint }: NodeFacts): Endpoint | undefined {
    return parseEndpoint(forceEndpoint ?? "") ?? parseEndpoint(kiloEndpoint ?? "");
}

/** The first source that is set wins; a malformed winner is not passed over, which would hide a mistake. */
export function configuredEndpoint(node: NodeFacts, cluster: EndpointSettings): ConfiguredEndpoint {
    if (cluster.nat === true) return { kind: "none" };
    const port = cluster.wireguardPort ?? DEFAULT_PORT;
    return (
        annotated("kilo.squat.ai/clustermesh-endpoint", node.clustermeshEndpoint, true) ??
        annotated("kilo.squat.ai/force-endpoint", node.forceEndpoint, false) ??
        addressed(node.externalIPs, port) ??
        annotated("kilo.squat.ai/endpoint", node.kiloEndpoint, false) ??
        addressed(node.internalIPs, port) ?? { kind: "none" }
    );
}

function annotated(source: string, value: string | undefined, pinned: boolean): ConfiguredEndpoint | undefined {
    if (value === undefined || value === "") return undefined;
    const endpoint = parseEndpoint(value);
    return endpoint === undefined ? { kind: "malformed", source, value } : { kind: "set", endpoint, pinned };
}

function addressed(candidates: readonly string[], port: number): ConfiguredEndpoint | undefined {
    let best: Address | undefined;
    for (const text of candidates) {
        const address = addressOf(text);
        if (address === undefined || !isReachable(address)) continue;
        if (address.family === 4) return { kind: "set", endpoint: endpointAt(address, port), pinned: false };
        best ??= address;
    }
    return best && { kind: "set", endpoint: endpointAt(best, port), pinned: false };
}

/** DNS names that would win as an endpoint, for the shell to look up: Kilo must never be given one that fails. */
export function endpointNames(facts: readonly NodeFacts[], cluster: EndpointSettings = {}): readonly string[] {
    const names = new Set<string>();
    for (const node of facts) {
        const configured = configuredEndpoint(node, cluster);
        const dns = configured.kind === "set" ? configured.endpoint.spec.dnsOrIP.dns : undefined;
        if (dns !== undefined) names.add(dns);
    }
    return [...names].sort();
}
