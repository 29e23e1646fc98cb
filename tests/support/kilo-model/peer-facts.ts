import { type Cidr, parseAddress, parseCidr } from "./addresses";
import { isDnsName, isPort, type StatedEndpoint } from "./endpoint";
import type { PeerObject, PeerSpec } from "./objects";
import { isKey } from "./public-key";

/** A Peer that passed Kilo's validation. */
export interface PeerFacts {
    readonly name: string;
    readonly key: string;
    readonly allowedIPs: readonly Cidr[];
    readonly endpoint: StatedEndpoint | undefined;
    /** What persistentKeepalive of a Peer switches on; it is not what is sent (docs/kilo.md: keepalive means roaming). */
    readonly roams: boolean;
    readonly presharedKey: string | undefined;
    /** Equal as long as the specification is: only then names are resolved again. */
    readonly spec: string;
}

export type InvalidPeer = "allowedIPs" | "endpoint" | "persistentKeepalive" | "publicKey";

/** What Kilo's agent skips and its webhook refuses; everything else both accept (docs/kilo.md, Validate). */
export function whyInvalid({ spec = {} }: PeerObject): InvalidPeer | undefined {
    if (!(spec.allowedIPs ?? []).every((text) => parseCidr(text) !== undefined)) return "allowedIPs";
    if (spec.endpoint !== undefined && statedEndpoint(spec) === undefined) return "endpoint";
    if ((spec.persistentKeepalive ?? 0) < 0) return "persistentKeepalive";
    return isKey(spec.publicKey ?? "") ? undefined : "publicKey";
}

export function peerFacts(peer: PeerObject): PeerFacts | undefined {
    if (whyInvalid(peer) !== undefined) return undefined;
    const { metadata, spec = {} } = peer;
    const { allowedIPs = [], publicKey = "", endpoint, persistentKeepalive = 0, presharedKey = "" } = spec;
    const dnsOrIP = endpoint?.dnsOrIP;
    return {
        name: metadata?.name ?? "",
        key: publicKey,
        allowedIPs: allowedIPs.flatMap((text) => parseCidr(text) ?? []),
        endpoint: statedEndpoint(spec),
        roams: persistentKeepalive > 0,
        // Text that is not a key counts as none (docs/kilo.md: preshared keys).
        presharedKey: isKey(presharedKey) ? presharedKey : undefined,
        spec: [
            publicKey,
            allowedIPs,
            dnsOrIP?.dns,
            dnsOrIP?.ip,
            endpoint?.port,
            persistentKeepalive,
            presharedKey,
        ].join(" "),
    };
}

/** If both are set, the name wins (docs/kilo.md: names are resolved once). */
function statedEndpoint({ endpoint }: PeerSpec): StatedEndpoint | undefined {
    if (endpoint === undefined || !isPort(endpoint.port)) return undefined;
    const { dns = "", ip = "" } = endpoint.dnsOrIP ?? {};
    const address = parseAddress(ip);
    if (ip !== "" && address === undefined) return undefined;
    if (dns !== "") return isDnsName(dns) ? { host: dns, port: endpoint.port } : undefined;
    return address === undefined ? undefined : { host: ip, ip: address, port: endpoint.port };
}
