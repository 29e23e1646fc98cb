import { DEFAULT_CONCURRENCY, forEachBounded } from "../../provider/kube/bounded";
import { KubeError } from "../../provider/kube/errors/kube-error";
import { heldBy, judge, type Owner } from "./judge";
import type { Reached } from "./reach";
import type { OfferedPeer, Outcome } from "./report";

/** Deletes what was offered, each by its uid, after one more look: since it was listed, another mesh may have taken it over. */
export async function deleteOffered(
    offered: readonly OfferedPeer[],
    reached: Reached,
    owner: Owner,
): Promise<readonly OfferedPeer[]> {
    const outcomes = new Map<OfferedPeer, Outcome>();
    await forEachBounded(offered, DEFAULT_CONCURRENCY, async (peer) => {
        outcomes.set(peer, await deleteOne(peer, reached, owner).catch(failed));
    });
    return offered.map((peer) => ({ ...peer, outcome: outcomes.get(peer)! }));
}

async function deleteOne({ cluster, name, uid }: OfferedPeer, reached: Reached, owner: Owner): Promise<Outcome> {
    const live = await reached.getPeer(cluster, name);
    if (live === undefined) return { result: "gone" };
    if (live.uid !== uid) return RECREATED;
    const { standing, why } = judge(live, cluster, owner);
    if (standing === "terminating") return { result: "terminating", why };
    if (standing !== "left over") return { result: "left alone", why: `it changed since it was listed: ${why}` };
    const outcome = await reached.deletePeer(cluster, name, uid);
    if (outcome === "not-ours") return RECREATED;
    if (typeof outcome === "object") {
        return { result: "terminating", why: `it is still there, ${heldBy(outcome.terminating)}` };
    }
    return { result: outcome };
}

const RECREATED: Outcome = { result: "left alone", why: "somebody created another object under its name meanwhile" };

function failed(error: unknown): Outcome {
    if (!(error instanceof KubeError)) throw error;
    return { result: "failed", why: `${error.message}. ${error.fix}` };
}
