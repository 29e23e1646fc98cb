import { type Address, type Cidr, parseAddress, parseCidr } from "./addresses";
import { type Endpoint, parseEndpoint, type StatedEndpoint } from "./endpoint";
import type { NodeObject } from "./objects";
import { isKey, isZeroKey } from "./public-key";

export const PREFIX = "kilo.squat.ai/";

/** `cross` exists in patched Kilos only (docs/kilo.md: granularity). */
export type Granularity = "location" | "full" | "cross";

/** What Kilo reads from a Node. */
export interface NodeFacts {
    readonly cluster: string;
    readonly name: string;
    readonly endpoint: StatedEndpoint | undefined;
    /** Present only if it is a usable one. */
    readonly key: string | undefined;
    /** The only pod network that Kilo itself uses. */
    readonly podCIDR: Cidr | undefined;
    /** Of both families: the node's own kernel knows them all. */
    readonly podCIDRs: readonly Cidr[];
    readonly internalIP: Cidr | undefined;
    readonly wireguardIP: Cidr | undefined;
    readonly lastSeen: number | undefined;
    readonly granularity: Granularity;
    readonly location: string;
    readonly leader: boolean;
    readonly keepalive: number;
    readonly allowedLocationIPs: readonly Cidr[];
    readonly discovered: ReadonlyMap<string, Endpoint>;
    readonly addresses: readonly Address[];
    readonly annotated: boolean;
}

export function nodeFacts(cluster: string, { metadata, spec, status }: NodeObject): NodeFacts {
    const annotations = metadata?.annotations ?? {};
    const read = (name: string): string | undefined => annotations[PREFIX + name];
    const key = read("key");
    const podCIDRs = [...new Set([spec?.podCIDR, ...(spec?.podCIDRs ?? [])].flatMap((text) => text ?? []))];
    return {
        cluster,
        name: metadata?.name ?? "",
        endpoint: parseEndpoint(read("force-endpoint")) ?? parseEndpoint(read("endpoint")),
        key: key !== undefined && isKey(key) && !isZeroKey(key) ? key : undefined,
        // The API server fills in whichever of the two is missing.
        podCIDR: parseCidr(podCIDRs[0] ?? ""),
        podCIDRs: podCIDRs.flatMap((text) => parseCidr(text) ?? []),
        internalIP: internalIP(read("force-internal-ip"), read("internal-ip")),
        wireguardIP: parseCidr(read("wireguard-ip") ?? ""),
        lastSeen: wholeNumber(read("last-seen")),
        granularity: granularity(read("granularity")),
        location: read("location") ?? metadata?.labels?.["topology.kubernetes.io/region"] ?? "",
        leader: read("leader") !== undefined,
        keepalive: wholeNumber(read("persistent-keepalive")) ?? 0,
        allowedLocationIPs: (read("allowed-location-ips") ?? "").split(",").flatMap((text) => parseCidr(text) ?? []),
        discovered: discovered(read("discovered-endpoints")),
        addresses: (status?.addresses ?? []).flatMap(({ address }) => parseAddress(address ?? "") ?? []),
        annotated: Object.keys(annotations).length > 0,
    };
}

/** "-" and "" say there is none, whatever internal-ip still says; a bare address is ignored (docs/kilo.md: no internal IP). */
function internalIP(forced: string | undefined, own: string | undefined): Cidr | undefined {
    if (forced === "" || forced === "-") return undefined;
    return parseCidr(forced ?? "") ?? parseCidr(own ?? "");
}

const granularity = (text: string | undefined): Granularity =>
    text === "full" || text === "cross" ? text : "location";

const wholeNumber = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

function discovered(text: string | undefined): ReadonlyMap<string, Endpoint> {
    const found = new Map<string, Endpoint>();
    if (text === undefined || text === "" || text === "{}") return found;
    for (const [key, value] of Object.entries(parseJson(text))) {
        const { IP, Port } = (value ?? {}) as { readonly IP?: unknown; readonly Port?: unknown };
        const ip = typeof IP === "string" ? parseAddress(IP) : undefined;
        if (ip !== undefined && typeof Port === "number") found.set(key, { ip, port: Port });
    }
    return found;
}

function parseJson(text: string): object {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null ? value : {};
    } catch {
        return {};
    }
}

export type NotReady = "no-annotations" | "no-endpoint" | "no-key" | "no-pod-cidr" | "not-seen";

const READY_SECONDS = 60;

/** docs/kilo.md, ready. Without a moment nobody's last-seen is judged. */
export function whyNotReady(node: NodeFacts, now: number | undefined): NotReady | undefined {
    if (!node.annotated) return "no-annotations";
    if (node.endpoint === undefined) return "no-endpoint";
    if (node.key === undefined) return "no-key";
    if (node.podCIDR === undefined) return "no-pod-cidr";
    if (now !== undefined && now - (node.lastSeen ?? 0) >= READY_SECONDS) return "not-seen";
    return undefined;
}
