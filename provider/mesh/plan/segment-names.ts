import type { LivePeer } from "../../kilo/peer";
import type { Segment } from "../segments/segment";

/** The name each segment has in one target. */
export type NameOf = (segment: Segment) => string;

const ordinaryName: NameOf = (segment) => segment.name;

/**
 * Two segments can come to one name: locations `EU` and `eu`, or cluster `a` with node `b--n` and cluster `a--b` with
 * node `n`. Then one of them has the ordinary name and the others one with a hash, and each keeps the name under which it
 * lives: what stands in the target decides before the order does.
 */
export function namesIn(segments: readonly Segment[], ours: ReadonlyMap<string, LivePeer>): NameOf {
    const odd = segments.filter((segment) => segment.otherName !== undefined);
    if (odd.length === 0) return ordinaryName;
    const plain = segments.filter((segment) => segment.otherName === undefined);
    const taken = new Set(plain.map(ordinaryName));
    const names = new Map<Segment, string>();
    const give = (segment: Segment, name: string): void => {
        names.set(segment, name);
        taken.add(name);
    };
    for (const segment of odd) {
        const { otherName } = segment;
        if (otherName !== undefined && ours.has(otherName)) give(segment, otherName);
    }
    for (const segment of odd) {
        const { name } = segment;
        if (!names.has(segment) && ours.get(name)?.spec.publicKey === segment.key && !taken.has(name))
            give(segment, name);
    }
    for (const segment of odd) {
        if (names.has(segment)) continue;
        const { name, otherName = name } = segment;
        give(segment, taken.has(name) ? otherName : name);
    }
    return (segment) => names.get(segment) ?? segment.name;
}
