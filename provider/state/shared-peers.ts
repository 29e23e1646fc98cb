import { digest } from "../values/digest";
import { UNKNOWN } from "../values/unknown";
import { isRecord } from "../values/untrusted";

/**
 * Most targets of a mesh have the same peers for a source: in a group their text is held once, by source, and each target that has it
 * holds a digest in its place. A preview shows such a peer once, and every target that gets it as changed.
 */
export interface SharedPeers<T> {
    /** By source, the text that most targets have. */
    readonly sources: Readonly<Record<string, string>>;
    /** By target and source: a text, what stands for the shared one, or what is not known yet. */
    readonly peers: Readonly<Record<string, Readonly<Record<string, T | string>>>>;
}

/** No text of peers begins like this: a name comes first, and the text is not a digest. */
const AS_SHARED = "= ";

export function sharePeers<T>(targets: Readonly<Record<string, Readonly<Record<string, T>>>>): SharedPeers<T> {
    const sources: Record<string, string> = {};
    const marks: Record<string, string> = {};
    for (const [source, counts] of countTexts(targets)) {
        // between texts that are equally common the order of the targets must not decide
        const [text] = [...counts].reduce((most, next) =>
            next[1] > most[1] || (next[1] === most[1] && next[0] < most[0]) ? next : most,
        );
        sources[source] = text;
        marks[source] = AS_SHARED + digest(text);
    }
    const peers = Object.fromEntries(
        Object.entries(targets).map(([target, lines]) => [
            target,
            Object.fromEntries(
                Object.entries(lines).map(([source, text]) => [
                    source,
                    marks[source] !== undefined && text === sources[source] ? marks[source] : text,
                ]),
            ),
        ]),
    );
    return { sources, peers };
}

/** By source, in the order of the targets: how many of these have a text. */
function countTexts(
    targets: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const found = new Map<string, Map<string, number>>();
    for (const lines of Object.values(targets)) {
        for (const [source, text] of Object.entries(lines)) {
            if (typeof text !== "string" || text === UNKNOWN) continue;
            const counts = found.get(source) ?? new Map<string, number>();
            found.set(source, counts);
            counts.set(text, (counts.get(text) ?? 0) + 1);
        }
    }
    return found;
}

/** The peers of one target, each source with its own text. */
export function unsharePeers(peers: unknown, sharedOf: (source: string) => unknown): Record<string, unknown> {
    if (!isRecord(peers)) return {};
    return Object.fromEntries(
        Object.entries(peers).map(([source, text]) => [
            source,
            typeof text === "string" && text.startsWith(AS_SHARED) ? (sharedOf(source) ?? UNKNOWN) : text,
        ]),
    );
}
