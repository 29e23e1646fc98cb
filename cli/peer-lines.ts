import { encodeLive, encodePeer } from "../provider/state/peer-text";
import type { PeerView } from "./assess";

/** A peer as it is printed: one line of text each for what is wanted and what is there. */
export interface PeerLines extends Omit<PeerView, "wanted" | "live"> {
    readonly wanted?: string;
    readonly live?: string;
}

export function peerLines({ wanted, live, ...view }: PeerView): PeerLines {
    return {
        ...view,
        ...(wanted === undefined ? {} : { wanted: encodePeer(wanted) }),
        ...(live === undefined ? {} : { live: encodeLive(live) }),
    };
}
