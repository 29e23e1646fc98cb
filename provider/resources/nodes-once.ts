import { digest } from "../values/digest";
import { isUnknown } from "../values/unknown";
import type { Props } from "./host";
import { optionalText } from "./props";

/**
 * Nodes are most of what is recorded of a member. Its inputs have them, for the next check; where they are just what the
 * program saw, which it knows by itself, the outputs have no more than a digest.
 */
export function markAsSeen(inputs: Props, given: Props): void {
    const nodes = optionalText(inputs.nodes);
    if (nodes !== undefined && !isUnknown(nodes) && nodes === given.nodes) inputs.asSeen = digest(nodes);
    else delete inputs.asSeen;
}

export function withoutNodesAsSeen(outs: Props, { asSeen }: Props): Props {
    if (asSeen === undefined) return outs;
    const { nodes: _, ...rest } = outs;
    return { ...rest, asSeen };
}

/** What was recorded, with the nodes that the digest stands for if these are the ones. */
export const withNodesAsSeen = (recorded: Props, { asSeen, nodes }: Props): Props =>
    asSeen !== undefined && recorded.asSeen === asSeen ? { ...recorded, nodes } : recorded;
