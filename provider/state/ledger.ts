import type { LivePeer } from "../kilo/peer";
import { sha256 } from "../values/digest";
import { SOURCE_LABEL } from "../values/labels";
import { byText } from "../values/show";
import { encodeLive } from "./peer-text";

/** What we know of one object we created: enough to delete it safely, and to see whether it is still what is wanted. */
export interface LedgerEntry {
    readonly uid: string;
    readonly digest: string;
}

export type Ledger = ReadonlyMap<string, LedgerEntry>;

/** A short fingerprint of a peer's text and its source, so that the state need not repeat the text. */
export function digestOf(source: string, line: string): string {
    return sha256(`${source}\n${line}`, "base64url").slice(0, 10);
}

export function entryOf(live: LivePeer): LedgerEntry {
    return { uid: live.uid, digest: digestOf(live.labels[SOURCE_LABEL] ?? "", encodeLive(live)) };
}

/**
 * One string for the whole ledger: the engine's cost grows with the number of values, and an indented line of JSON
 * per peer would double the size of the state. Names, uids and digests contain neither spaces nor semicolons.
 */
export function encodeLedger(ledger: Ledger): string {
    return [...ledger]
        .sort(([a], [b]) => byText(a, b))
        .map(([name, { uid, digest }]) => `${name} ${uid} ${digest}`)
        .join(";");
}

export function decodeLedger(text: unknown): Ledger {
    const ledger = new Map<string, LedgerEntry>();
    if (typeof text !== "string") return ledger;
    for (const entry of text.split(";")) {
        const [name, uid, digest] = entry.split(" ");
        if (name && uid && digest) ledger.set(name, { uid, digest });
    }
    return ledger;
}
