/**
 * Which clusters are joined. Absent: all with all.
 *
 * @group Arguments
 */
export interface TopologyArgs {
    /**
     * Every hub is joined with every cluster, the others only with the hubs. Caution: with `links` too, both add up.
     *
     * @default none
     * @example hubs: ["hub"]
     */
    hubs?: string[];

    /**
     * Exactly these pairs are joined. Caution: a cluster that no pair names gets no peers.
     *
     * @default none
     * @example links: [{ a: "hub", b: "edge-1" }]
     */
    links?: { a: string; b: string }[];
}
