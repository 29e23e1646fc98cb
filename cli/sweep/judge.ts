import type { LivePeer } from "../../provider/kilo/peer";
import { type Proof, whose } from "../../provider/mesh/ownership";
import type { Ledger } from "../../provider/state/ledger";
import { CLAIM_LABEL, MESH_ID_LABEL, MESH_LABEL, OWNER_ANNOTATION, SOURCE_LABEL } from "../../provider/values/labels";
import { byText } from "../../provider/values/show";

/** Whose left-over peers are looked for. */
export interface Owner {
    /** What proves in this cluster that a peer is of that mesh. */
    proofIn(cluster: string): Proof;
    /** What the state lists there; undefined where no state was read. */
    readonly ledgers?: Readonly<Record<string, Ledger>>;
    /** Uids of the clusters as the state recorded them. */
    readonly identities?: Readonly<Record<string, string>>;
}

/**
 * - `left over`: provably of that mesh, and the state does not list it: the only ones that are offered
 * - `in use`: of that mesh, and the state lists it
 * - `terminating`: of that mesh, and somebody deleted it already
 * - `foreign`: everything else
 */
export type Standing = "left over" | "in use" | "terminating" | "foreign";

export interface Judged {
    readonly standing: Standing;
    readonly why: string;
}

/** Names and owner annotations prove nothing: what is not proved is foreign. */
export function judge(live: LivePeer, cluster: string, owner: Owner): Judged {
    const proof = owner.proofIn(cluster);
    const ownership = whose(live, proof);
    if (ownership === "foreign" || ownership === "adopted")
        return { standing: "foreign", why: whyForeign(live, proof) };
    const ledger = owner.ledgers?.[cluster];
    const recorded = ledger?.get(live.name);
    if (recorded !== undefined) {
        const why =
            recorded.uid === live.uid
                ? "the state lists it"
                : "the state lists this name with another uid: the next pulumi up takes care of it";
        return { standing: "in use", why };
    }
    if (live.finalizers !== undefined) {
        return { standing: "terminating", why: `it is being deleted already; ${heldBy(live.finalizers)}` };
    }
    const proved = ownership === "ours" ? "the claim" : "the mesh id";
    const unlisted = owner.ledgers === undefined ? "" : ", and the state does not list it";
    return { standing: "left over", why: `it has ${proved}${unlisted}` };
}

export const heldBy = (finalizers: readonly string[]): string =>
    finalizers.length === 0 ? "nothing holds it any more" : `held by ${finalizers.join(", ")}`;

function whyForeign({ labels }: LivePeer, { meshId }: Proof): string {
    const claim = labels[CLAIM_LABEL];
    if (meshId !== undefined && labels[MESH_ID_LABEL] === meshId) {
        return `it has the mesh id, but the claim ${claim ?? ""} of another member`;
    }
    if (claim !== undefined && claim !== "") return `it has another claim: ${claim}`;
    const mesh = labels[MESH_LABEL];
    if (mesh !== undefined) return `it names the mesh ${mesh}, which proves nothing: it has no claim`;
    return `it has no label of a mesh: somebody else made it`;
}

/** A peer as it is shown. */
export interface PeerEntry extends Judged {
    readonly cluster: string;
    readonly name: string;
    readonly uid: string;
    readonly source?: string;
    /** What it says whose it is. It proves nothing. */
    readonly owner?: string;
}

/** All peers of a cluster, by name. */
export function judgeAll(peers: readonly LivePeer[], cluster: string, owner: Owner): readonly PeerEntry[] {
    return [...peers]
        .sort((a, b) => byText(a.name, b.name))
        .map((live) => {
            const source = live.labels[SOURCE_LABEL];
            const says = live.annotations[OWNER_ANNOTATION];
            return {
                cluster,
                name: live.name,
                uid: live.uid,
                ...(source === undefined ? {} : { source }),
                ...(says === undefined ? {} : { owner: says }),
                ...judge(live, cluster, owner),
            };
        });
}
