import type { Observation } from "../../provider/observe/observe-clusters";
import type { Fix } from "../../provider/values/fix";
import { judgeAll, type Owner, type PeerEntry } from "./judge";

/** What became of a peer that was offered. */
export type Outcome =
    /** `gone`: somebody else deleted it meanwhile. */
    | { readonly result: "deleted" | "gone" }
    /** Another object has its name now, or it is no longer provably of the mesh. */
    | { readonly result: "left alone"; readonly why: string }
    | { readonly result: "terminating"; readonly why: string }
    | { readonly result: "failed"; readonly why: string };

export type OfferedPeer = PeerEntry & { readonly outcome?: Outcome };

export interface UnreadCluster {
    readonly name: string;
    readonly state: "silent" | "unusable";
    readonly message: string;
    readonly fix: Fix;
}

export interface SweepReport {
    readonly schemaVersion: 1;
    readonly command: "sweep";
    /** What was asked for: `claim <id>`, `mesh id <id>` or `stack <name>`. */
    readonly of: string;
    /** Every cluster was read, and nothing that was offered is left. */
    readonly clean: boolean;
    /** Clusters that were read. */
    readonly clusters: readonly string[];
    readonly unread: readonly UnreadCluster[];
    readonly offered: readonly OfferedPeer[];
    /** All other peers: never offered. */
    readonly others: readonly PeerEntry[];
}

export function sweepReport(
    of: string,
    names: readonly string[],
    found: Readonly<Record<string, Observation>>,
    owner: Owner,
): SweepReport {
    const unread = names.flatMap((name) => unreadCluster(name, found[name]!, owner) ?? []);
    const read = names.filter((name) => !unread.some((cluster) => cluster.name === name));
    const entries = read.flatMap((name) => {
        const seen = found[name]!;
        return seen.ok ? judgeAll(seen.peers, name, owner) : [];
    });
    const others = entries.filter(({ standing }) => standing !== "left over");
    const offered = entries.filter(({ standing }) => standing === "left over");
    return withOutcomes({ of, clusters: read, unread, others }, offered);
}

/** A cluster that is another one than the state recorded is not touched. */
function unreadCluster(name: string, found: Observation, { identities }: Owner): UnreadCluster | undefined {
    if (!found.ok) return { name, state: found.state, message: found.message, fix: found.fix };
    const recorded = identities?.[name];
    if (recorded === undefined || found.identity === undefined || found.identity === recorded) return undefined;
    return {
        name,
        state: "unusable",
        message: `cluster ${name}: another cluster answers (kube-system ${found.identity}) than the recorded one (${recorded})`,
        fix: "Correct its kubeconfig; if the cluster was rebuilt, set `rebuilt` on it and run `pulumi up`",
    };
}

export function withOutcomes(
    { of, clusters, unread, others }: Pick<SweepReport, "of" | "clusters" | "unread" | "others">,
    offered: readonly OfferedPeer[],
): SweepReport {
    const isDone = ({ outcome }: OfferedPeer): boolean => outcome?.result === "deleted" || outcome?.result === "gone";
    const isHeld = others.some(({ standing }) => standing === "terminating");
    const clean = unread.length === 0 && !isHeld && offered.every(isDone);
    return { schemaVersion: 1, command: "sweep", of, clean, clusters, unread, offered, others };
}
