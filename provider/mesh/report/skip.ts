import { byText } from "../../values/show";
import type { SkippedNode, SkipReason } from "../types";

/** A finding about one node, before it is known which cluster and target it belongs to. */
export interface Refusal {
    readonly reason: SkipReason;
    readonly message: string;
}

export function refusal(reason: SkipReason, message: string): Refusal {
    return { reason, message };
}

export function isRefusal(value: object): value is Refusal {
    return "reason" in value;
}

export function skip(cluster: string, node: string, { reason, message }: Refusal, target?: string): SkippedNode {
    return { cluster, node, reason, message, ...(target === undefined ? {} : { target }) };
}

export function sortSkipped(skipped: readonly SkippedNode[]): readonly SkippedNode[] {
    return [...skipped].sort(
        (a, b) =>
            byText(a.cluster, b.cluster) ||
            byText(a.node, b.node) ||
            byText(a.target ?? "", b.target ?? "") ||
            byText(a.reason, b.reason) ||
            byText(a.message, b.message),
    );
}
