interface Described {
    readonly name: string;
    readonly help: string;
    readonly labels: readonly string[];
}

const PREFIX = "kilo_clustermesh_";

const metric = (name: string, help: string, ...labels: readonly string[]): Described => ({
    name: PREFIX + name,
    help,
    labels: ["mesh", ...labels],
});

/** What every look at a mesh has, that of `status` too. */
export const MESH_METRICS = {
    memberState: metric("member_state", "1 for the state that a member is in, 0 for the others.", "cluster", "state"),
    staleNodes: metric("stale_nodes", "Nodes of a member that Kilo has not seen for a minute.", "cluster"),
    peersWanted: metric("peers_wanted", "Peers that the plan wants in a member.", "cluster"),
    peersPresent: metric("peers_present", "Wanted peers that are there as planned; only of members seen.", "cluster"),
    peersDrifted: metric(
        "peers_drifted",
        "Peers that differ from the plan or are not in it any more; only of members seen.",
        "cluster",
    ),
    tunnels: metric("tunnels", "Tunnels: nodes that have tunnels, with each of their peers."),
    tunnelsSeen: metric("tunnels_seen", "Tunnels with a handshake since Kilo last reconfigured the node."),
} as const;

/** What only a watcher has. */
export const WATCH_METRICS = {
    behind: metric("behind_seconds", "Age of the oldest change that no run has taken in; 0 where there is none."),
    isRunning: metric("run_in_progress", "1 while a run is under way."),
    runs: metric("runs_total", "Runs that ended, by outcome.", "outcome"),
    runDuration: metric("run_duration_seconds", "How long runs took, by outcome.", "outcome"),
    lastSuccess: metric(
        "last_success_timestamp_seconds",
        "When the last run ended that did all it could; absent before the first.",
    ),
} as const;
