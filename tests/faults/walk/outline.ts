import type { Peer } from "../../support/engine/member-cluster";
import { lineOf } from "../../support/peer-line";
import { podRange } from "./model";

/** Key, endpoint and the one pod network of a peer: what the model says of it. */
export function outline(peer: Peer): string {
    const [publicKey, endpoint] = lineOf(peer).split(" ");
    const ranges = [0, 1, 2, 3].map((index) => podRange(index).replace(/\d+\.\d+\/16$/, ""));
    const pods = (peer.spec?.allowedIPs ?? []).filter((cidr) => ranges.some((range) => cidr.startsWith(range)));
    return `${publicKey} ${endpoint} ${pods.join(",")}`;
}

export const sameEntries = (a: Record<string, string>, b: Record<string, string>): boolean =>
    JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
