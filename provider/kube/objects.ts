import type { KubeNode, KubePeer, PeerEndpoint } from "../kilo/types";

/** Stands for a preshared key, which is a secret and never leaves its cluster. */
export const PRESHARED_KEY_SET = "(set)";

/** A Peer as it is in a cluster, cut down to what planning and ownership need. */
export interface LivePeer extends KubePeer {
    readonly metadata: {
        readonly name: string;
        readonly uid: string;
        /** It is being deleted, and stays until its finalizers are gone. */
        readonly terminating?: true;
        /** Who must agree before it can go. */
        readonly finalizers?: readonly string[];
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: {
        readonly allowedIPs: readonly string[];
        readonly publicKey: string;
        readonly endpoint?: PeerEndpoint;
        readonly persistentKeepalive?: number;
        readonly presharedKey?: typeof PRESHARED_KEY_SET;
    };
}

const OUR_PREFIX = "kilo-clustermesh.io/";
const KILO_PREFIX = "kilo.squat.ai/";
/** A node whose owner keeps it out of every mesh. */
const IGNORE = "kilo-clustermesh.io/ignore";
const MANAGED_BY = "app.kubernetes.io/managed-by";
const REGION = "topology.kubernetes.io/region";
const OBSERVATIONS = "kilo.squat.ai/discovered-endpoints";

/** Longest value kept; anything longer is wrong anyway and stays recognisably wrong when cut. */
const MAX_VALUE = 1024;
/** The API server's own bound on all annotations of an object. */
const MAX_OBSERVATIONS = 256 << 10;
/** Observations are optional hints: beyond this much per cluster they are left out rather than held in memory. */
const MAX_ALL_OBSERVATIONS = 32 << 20;
const MAX_ADDRESSES = 64;
const MAX_FINALIZERS = 64;

/** Reduces the nodes of one list; remembers how much it kept. Without `keepLabels` all labels are kept. */
export function nodeReducer(keepLabels?: readonly string[]): (item: unknown) => KubeNode {
    const labels = keepLabels && new Set([REGION, ...keepLabels]);
    let observed = 0;
    return (item) => {
        const { metadata, spec, status } = record(item);
        const { annotations, labels: all, name, uid } = record(metadata);
        const { podCIDR, podCIDRs } = record(spec);
        const kept = pick(annotations, isKeptOfNode) ?? {};
        const seen = record(annotations)[OBSERVATIONS];
        if (
            typeof seen === "string" &&
            seen.length <= MAX_OBSERVATIONS &&
            observed + seen.length <= MAX_ALL_OBSERVATIONS
        ) {
            observed += seen.length;
            kept[OBSERVATIONS] = seen;
        }
        return {
            metadata: {
                name: short(name),
                ...(typeof uid === "string" && uid !== "" ? { uid: short(uid) } : {}),
                annotations: kept,
                ...optional(
                    "labels",
                    pick(all, (key) => labels?.has(key) ?? true),
                ),
            },
            spec: {
                ...(typeof podCIDR === "string" ? { podCIDR: short(podCIDR) } : {}),
                ...(Array.isArray(podCIDRs) ? { podCIDRs: strings(podCIDRs).slice(0, MAX_ADDRESSES).map(short) } : {}),
            },
            status: { addresses: addresses(record(status).addresses) },
        };
    };
}

const isKeptOfNode = (key: string): boolean => (key.startsWith(KILO_PREFIX) && key !== OBSERVATIONS) || key === IGNORE;

export function reducePeer(item: unknown): LivePeer {
    const { metadata, spec } = record(item);
    const { name, uid, labels, annotations, finalizers, deletionTimestamp } = record(metadata);
    const { allowedIPs, publicKey, endpoint, persistentKeepalive, presharedKey } = record(spec);
    return {
        metadata: {
            name: short(name),
            uid: short(uid),
            ...(deletionTimestamp ? { terminating: true as const } : {}),
            ...(Array.isArray(finalizers) && finalizers.length > 0
                ? { finalizers: strings(finalizers).slice(0, MAX_FINALIZERS).map(short) }
                : {}),
            ...optional(
                "labels",
                pick(labels, (key) => key.startsWith(OUR_PREFIX) || key === MANAGED_BY),
            ),
            ...optional(
                "annotations",
                pick(annotations, (key) => key.startsWith(OUR_PREFIX)),
            ),
        },
        spec: {
            // All of them, however many: a network left out here could be given away twice.
            allowedIPs: Array.isArray(allowedIPs) ? strings(allowedIPs).map(short) : [],
            publicKey: short(publicKey),
            ...optional("endpoint", peerEndpoint(endpoint)),
            ...(typeof persistentKeepalive === "number" ? { persistentKeepalive } : {}),
            ...(typeof presharedKey === "string" && presharedKey !== "" ? { presharedKey: PRESHARED_KEY_SET } : {}),
        },
    };
}

function peerEndpoint(value: unknown): PeerEndpoint | undefined {
    const { dnsOrIP, port } = record(value);
    if (typeof port !== "number") return undefined;
    const { dns, ip } = record(dnsOrIP);
    return {
        dnsOrIP: {
            ...(typeof dns === "string" && dns !== "" ? { dns: short(dns) } : {}),
            ...(typeof ip === "string" && ip !== "" ? { ip: short(ip) } : {}),
        },
        port,
    };
}

function addresses(value: unknown): { type: string; address: string }[] {
    if (!Array.isArray(value)) return [];
    return value.slice(0, MAX_ADDRESSES).flatMap((each) => {
        const { type, address } = record(each);
        return typeof type === "string" && typeof address === "string"
            ? [{ type: short(type), address: short(address) }]
            : [];
    });
}

function pick(values: unknown, wanted: (key: string) => boolean): Record<string, string> | undefined {
    const kept: Record<string, string> = {};
    let any = false;
    for (const [key, value] of Object.entries(record(values))) {
        if (!wanted(key) || typeof value !== "string") continue;
        kept[key] = short(value);
        any = true;
    }
    return any ? kept : undefined;
}

/** A copy when cut: a slice would keep the long original in memory. */
function short(value: unknown): string {
    if (typeof value !== "string") return "";
    return value.length <= MAX_VALUE ? value : Buffer.from(value.slice(0, MAX_VALUE)).toString();
}

const record = (value: unknown): Record<string, unknown> =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const strings = (values: readonly unknown[]): string[] => values.filter((each) => typeof each === "string");

const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
    value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
