import type { WantedPeer } from "../kilo/peer";
import { UNKNOWN } from "../values/unknown";
import { isRecord } from "../values/untrusted";
import { joinLines, splitLines } from "./line-list";
import { decodePeer } from "./peer-text";

/** By source cluster: each peer's line under its name, or all of them as one text; a source may be unknown. */
export type PeerInputs = Record<string, string | Record<string, string>>;

/** A peer in inputs, not yet decoded: comparing needs the text only. */
export interface PeerLine {
    readonly name: string;
    readonly source: string;
    readonly line: string;
}

/**
 * Under its name, a peer is shown by itself in every preview. But the engine copies and logs each value many times: from so
 * many peers in a target on, the peers of a source are one text, of which the CLI shows the lines that change.
 */
const MANY = 500;
/** Where it is a text already it stays one until there are far fewer: the form itself must not come and go in previews. */
const FEW = 250;

/** Every peer under its name; names are unique in a target. Unknown sources have none. */
export function peerLines(peers: unknown): ReadonlyMap<string, PeerLine> {
    const found = new Map<string, PeerLine>();
    for (const { source, lines } of knownSources(peers)) {
        for (const [name, line] of Object.entries(lines)) found.set(name, { name, source, line });
    }
    return found;
}

export function wantedPeers(peers: unknown): readonly WantedPeer[] {
    return [...peerLines(peers).values()].map(({ name, source, line }) => ({ name, source, peer: decodePeer(line) }));
}

/** The same peers in the form in which they are shown and recorded. What is unknown stays unknown, and nothing else is. */
export function shapePeers(before: unknown, peers: unknown): PeerInputs {
    const known = knownSources(peers).filter(({ lines }) => Object.keys(lines).length > 0);
    const unknown = entries(peers).filter(([, lines]) => lines === UNKNOWN);
    // a source that is not known yet will most likely have what it had
    const old = new Map(knownSources(before).map(({ source, lines }) => [source, Object.keys(lines).length]));
    const count =
        known.reduce((sum, { lines }) => sum + Object.keys(lines).length, 0) +
        unknown.reduce((sum, [source]) => sum + (old.get(source) ?? 0), 0);
    const asText = count > (isText(before) ? FEW : MANY);
    return Object.fromEntries([
        ...known.map(({ source, lines }) => [source, asText ? joinLines(lines) : lines] as const),
        ...unknown.map(([source]) => [source, UNKNOWN] as const),
    ]);
}

/** What to tell when the form changes, since a preview then shows every peer as changed. */
export function formChange(before: unknown, after: unknown): string | undefined {
    if (isText(before) === isText(after) || peerLines(before).size === 0 || peerLines(after).size === 0)
        return undefined;
    const form = isText(after)
        ? `more than ${MANY} peers: they are recorded as texts`
        : `${FEW} peers or fewer: they are recorded by name`;
    return `${form} from now on. Where only the form changed, nothing is written to the cluster.`;
}

const entries = (peers: unknown): readonly (readonly [string, unknown])[] =>
    isRecord(peers) ? Object.entries(peers) : [];

const knownSources = (peers: unknown): readonly { readonly source: string; readonly lines: Record<string, string> }[] =>
    entries(peers)
        .filter(([, lines]) => lines !== UNKNOWN)
        .map(([source, lines]) => ({ source, lines: splitLines(lines) }));

const isText = (peers: unknown): boolean =>
    entries(peers).some(([, lines]) => typeof lines === "string" && lines !== UNKNOWN);
