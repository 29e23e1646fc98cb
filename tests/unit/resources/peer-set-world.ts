import type { Props } from "../../../provider/resources/host";
import { peerSet } from "../../../provider/resources/peer-set";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { CLAIM, inputs } from "../../support/peer-set-inputs";

export const line = (seed: number, endpoint = `192.0.2.${seed}:51820`, networks = `10.2.${seed}.0/24`, more = "") =>
    `${key(seed)} ${endpoint} ${more}${networks}`;

/** The labels by which a peer is known to be ours. */
export const ours = { "kilo-clustermesh.io/claim": CLAIM, "kilo-clustermesh.io/mesh": "edge" };

/** A hub that has these peers, and the peer set that wrote them. */
export async function world(peers: Record<string, string>, more: Props = {}) {
    const hub = new MemoryCluster("hub");
    hub.uid = typeof more.identity === "string" ? more.identity : undefined;
    const host = memoryHost([hub]);
    const { id, outs } = await peerSet.create(host, inputs(peers, more));
    hub.log.length = 0;
    return { hub, host, id, outs };
}
