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
 * One string for the whole ledger: the engine's cost grows with the number of values, and an indented line of JSON per peer would double
 * the size of the state. An entry is `<name> <uid> <digest>`, as version 0.1.0 wrote it, or shorter where its uid is a UUID, as those of
 * API servers are: `<n>+<rest of the name> <uid in base64><digest>`, where the name begins with n characters of the one before. Names,
 * uids and digests contain neither spaces nor semicolons, and names no plus.
 */
export function encodeLedger(ledger: Ledger): string {
    let before = "";
    return [...ledger]
        .sort(([a], [b]) => byText(a, b))
        .map(([name, { uid, digest }]) => {
            const short = shortUid(uid);
            const shared = sharedLength(before, name);
            before = name;
            return short === undefined
                ? `${name} ${uid} ${digest}`
                : `${shared}+${name.slice(shared)} ${short}${digest}`;
        })
        .join(";");
}

export function decodeLedger(text: unknown): Ledger {
    const ledger = new Map<string, LedgerEntry>();
    if (typeof text !== "string") return ledger;
    let before = "";
    for (const entry of text.split(";")) {
        const [first, second, third] = entry.split(" ");
        if (!first || !second) continue;
        const plus = first.indexOf("+");
        if (plus < 0) {
            before = first;
            if (third) ledger.set(first, { uid: second, digest: third });
            continue;
        }
        before = before.slice(0, Number(first.slice(0, plus))) + first.slice(plus + 1);
        ledger.set(before, { uid: longUid(second.slice(0, SHORT)), digest: second.slice(SHORT) });
    }
    return ledger;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Characters of a UUID in base64. */
const SHORT = 22;

const shortUid = (uid: string): string | undefined =>
    UUID.test(uid) ? Buffer.from(uid.replaceAll("-", ""), "hex").toString("base64url") : undefined;

function longUid(short: string): string {
    const hex = Buffer.from(short, "base64url").toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function sharedLength(a: string, b: string): number {
    let shared = 0;
    while (shared < a.length && a[shared] === b[shared]) shared++;
    return shared;
}
