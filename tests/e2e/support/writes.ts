import type { WatchedEvent, WatchedPeer } from "../../support/peer-invariants";

/** Writes to one cluster, in the order in which they were seen; several only where a watch had to begin again. */
export interface Write {
    readonly cluster: string;
    readonly events: readonly WatchedEvent[];
}

export const isOurs = ({ metadata }: WatchedPeer): boolean =>
    metadata.labels?.["kilo-clustermesh.io/claim"] !== undefined;
