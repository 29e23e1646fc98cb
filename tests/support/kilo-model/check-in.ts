import { parseCidr } from "./addresses";
import { parseEndpoint } from "./endpoint";
import { type Granularity, PREFIX } from "./node-facts";
import type { NodeObject } from "./objects";

/** What an agent knows of its own node. */
export interface Self {
    readonly key: string;
    /** What it would choose by itself. */
    readonly endpoint: string;
    readonly internalIP: string;
    /** Of a leader. */
    readonly wireguardIP?: string;
    readonly granularity: Granularity;
    readonly now: number;
}

/** What an agent leaves on its Node every 30 seconds (docs/kilo.md, node annotations). */
export function checkIn(node: NodeObject, self: Self): NodeObject | "panic" {
    const present = node.metadata?.annotations;
    // An agent does not survive a Node without any annotation (docs/kilo.md: experiments, E22).
    if (present === undefined || Object.keys(present).length === 0) return "panic";
    const usable = (name: string, parse: (text: string) => unknown): string | undefined => {
        const text = present[PREFIX + name];
        return text !== undefined && parse(text) !== undefined ? text : undefined;
    };
    const written = {
        // Sticky: computed only if there is none that can be read; the forced one is copied and stays.
        endpoint: usable("force-endpoint", parseEndpoint) ?? usable("endpoint", parseEndpoint) ?? self.endpoint,
        "internal-ip": usable("force-internal-ip", parseCidr) ?? usable("internal-ip", parseCidr) ?? self.internalIP,
        key: self.key,
        "wireguard-ip": self.wireguardIP ?? "",
        "last-seen": String(self.now),
        granularity: self.granularity,
    };
    const named = Object.entries(written).map(([name, value]) => [PREFIX + name, value]);
    return { ...node, metadata: { ...node.metadata, annotations: { ...present, ...Object.fromEntries(named) } } };
}

const REMOVED = ["endpoint", "internal-ip", "key", "last-seen", "wireguard-ip", "discovered-endpoints", "granularity"];

/** What is left after an agent was told to stop: every rollout of its DaemonSet. */
export function cleanStop(node: NodeObject): NodeObject {
    const removed = new Set(REMOVED.map((name) => PREFIX + name));
    const kept = Object.entries(node.metadata?.annotations ?? {}).filter(([name]) => !removed.has(name));
    return { ...node, metadata: { ...node.metadata, annotations: Object.fromEntries(kept) } };
}
