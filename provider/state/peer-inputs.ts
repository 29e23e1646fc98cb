import { isRecord } from "../resources/props";
import type { WantedPeer } from "../resources/writes";
import { joinLines, splitLines } from "./line-list";

/** By source cluster: each peer's line under its name, or all of them as one text. */
export type PeerInputs = Record<string, string | Record<string, string>>;

/**
 * Under its name, a peer is shown by itself in every preview. But the engine copies and logs each value many times: from so
 * many peers in a target on, the peers of a source are one text, of which the CLI shows the lines that change.
 */
const MANY = 500;
/** Where it is a text already it stays one until there are far fewer: the form itself must not come and go in previews. */
const FEW = 250;

/** Every peer under its name; names are unique in a target. */
export function wantedPeers(peers: unknown): Map<string, WantedPeer> {
    const wanted = new Map<string, WantedPeer>();
    if (!isRecord(peers)) return wanted;
    for (const [source, lines] of Object.entries(peers)) {
        for (const [name, line] of Object.entries(splitLines(lines))) wanted.set(name, { name, source, line });
    }
    return wanted;
}

/** The same peers in the form in which they are shown and recorded. */
export function shapePeers(before: unknown, peers: unknown): PeerInputs {
    const sources = Object.entries(isRecord(peers) ? peers : {}).map(([source, lines]) => ({
        source,
        lines: splitLines(lines),
    }));
    const count = sources.reduce((sum, { lines }) => sum + Object.keys(lines).length, 0);
    const asText = count > (isText(before) ? FEW : MANY);
    return Object.fromEntries(sources.map(({ source, lines }) => [source, asText ? joinLines(lines) : lines]));
}

/** What to tell when the form changes, since a preview then shows every peer as changed. */
export function formChange(before: unknown, after: unknown): string | undefined {
    if (isText(before) === isText(after) || wantedPeers(before).size === 0) return undefined;
    const form = isText(after)
        ? `more than ${MANY} peers: they are recorded as texts`
        : `${FEW} peers or fewer: they are recorded by name`;
    return `${form} from now on. Where only the form changed, nothing is written to the cluster.`;
}

const isText = (peers: unknown): boolean =>
    isRecord(peers) && Object.values(peers).some((lines) => typeof lines === "string");
