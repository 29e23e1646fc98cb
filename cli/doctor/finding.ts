import type { Severity } from "../../provider/mesh/types";

/** What is looked at in every member, in this order: who does not answer is not asked further. */
export const CHECKS = [
    "answers",
    "TLS",
    "signs in",
    "permissions",
    "Peer kind",
    "Kilo annotations",
    "granularity",
    "nodes fit the mesh",
    "last seen",
    "endpoints",
    "NAT keepalive",
    "ranges",
    "existing peers",
    "mesh peers",
    "tunnels",
] as const;

export type Check = (typeof CHECKS)[number];

export interface Finding {
    readonly code: string;
    readonly severity: Severity;
    /** Absent for what concerns the mesh as a whole. */
    readonly check?: Check;
    readonly cluster?: string;
    readonly node?: string;
    readonly peer?: string;
    readonly what: string;
    readonly why: string;
    /** The next command to run, ready to copy; where none can help, what to do. */
    readonly next: string;
}
