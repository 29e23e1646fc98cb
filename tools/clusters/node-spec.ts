import { createHash } from "node:crypto";
import type { KubeNode } from "../../provider/kilo/types";
import { nodeAddresses } from "./networks";

/** A Node made to order, with the annotations that Kilo's agent would have written. `null` leaves a value out. */
export interface NodeSpec {
    readonly name: string;
    /** Which of the cluster's addresses the node gets, from 1; default: the number at the end of its name. */
    readonly index?: number;
    readonly podCIDRs?: readonly string[];
    /** Default: a valid public key that depends on nothing but the cluster's and the node's name. */
    readonly key?: string | null;
    /** host:port, as Kilo finds it by itself. */
    readonly endpoint?: string | null;
    readonly forceEndpoint?: string;
    readonly clustermeshEndpoint?: string;
    readonly externalIP?: string;
    readonly internalIP?: string | null;
    /** Default: `full`. */
    readonly granularity?: string | null;
    readonly location?: string;
    readonly leader?: boolean;
    readonly wireguardIP?: string | null;
    /** Unix seconds; default: a day ahead, as if an agent kept checking in. */
    readonly lastSeen?: number | null;
    readonly persistentKeepalive?: number;
    /** What this node has observed, by public key. */
    readonly discovered?: Readonly<Record<string, { readonly IP: string; readonly Port: number }>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
}

const A_DAY = 86_400;

export interface NodeObject extends KubeNode {
    readonly apiVersion: "v1";
    readonly kind: "Node";
}

/** `count` nodes in order, `<cluster>-n1` and so on, each with everything Kilo needs. */
export function nodeSpecs(
    cluster: { readonly name: string },
    count: number,
    overrides: Partial<Omit<NodeSpec, "name" | "index">> = {},
): NodeSpec[] {
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    return numbers.map((index) => ({ name: `${cluster.name}-n${index}`, index, ...overrides }));
}

export function publicKey(cluster: string, node: string): string {
    return createHash("sha256").update(`${cluster}/${node}`).digest("base64");
}

export function nodeObject(cluster: { readonly name: string; readonly index: number }, spec: NodeSpec): NodeObject {
    const addresses = nodeAddresses(cluster.index, spec.index ?? trailingNumber(spec.name));
    const podCIDRs = spec.podCIDRs ?? [addresses.podCIDR];
    const internalIP = spec.internalIP === undefined ? addresses.internalIP : spec.internalIP;
    return {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
            name: spec.name,
            labels: { "kubernetes.io/hostname": spec.name, ...spec.labels },
            annotations: kiloAnnotations(cluster.name, spec, addresses, internalIP),
        },
        spec: podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0]!, podCIDRs },
        status: {
            addresses: [
                { type: "Hostname", address: spec.name },
                ...(internalIP === null ? [] : [{ type: "InternalIP", address: internalIP }]),
                ...(spec.externalIP === undefined ? [] : [{ type: "ExternalIP", address: spec.externalIP }]),
            ],
        },
    };
}

function kiloAnnotations(
    cluster: string,
    spec: NodeSpec,
    addresses: ReturnType<typeof nodeAddresses>,
    internalIP: string | null,
): Record<string, string> {
    const orDefault = <T>(value: T | null | undefined, standard: T) => (value === undefined ? standard : value);
    const values: Record<string, string | null | undefined> = {
        key: orDefault(spec.key, publicKey(cluster, spec.name)),
        endpoint: orDefault(spec.endpoint, addresses.endpoint),
        "internal-ip": internalIP === null ? "" : `${internalIP}/16`,
        "wireguard-ip": orDefault(spec.wireguardIP, addresses.wireguardIP),
        granularity: orDefault(spec.granularity, "full"),
        "last-seen": orDefault(spec.lastSeen, Math.floor(Date.now() / 1000) + A_DAY)?.toString(),
        "force-endpoint": spec.forceEndpoint,
        "clustermesh-endpoint": spec.clustermeshEndpoint,
        location: spec.location,
        leader: spec.leader === true ? "true" : undefined,
        "persistent-keepalive": spec.persistentKeepalive?.toString(),
        "discovered-endpoints": spec.discovered === undefined ? undefined : JSON.stringify(spec.discovered),
    };
    const annotations: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
        if (value !== null && value !== undefined) annotations[`kilo.squat.ai/${name}`] = value;
    }
    return { ...annotations, ...spec.annotations };
}

function trailingNumber(name: string): number {
    const digits = /(\d+)$/.exec(name)?.[1];
    if (digits === undefined) throw new Error(`Node ${name}: give \`index\`, or end the name with a number`);
    return Number(digits);
}
