import { digest } from "../../provider/values/digest";
import type { MemberView } from "./view";

type Views = ReadonlyMap<string, MemberView>;

/**
 * Without a state at hand: what the members were when a run had last seen them. Nodes count from the beginning of the run,
 * since what changes while it runs may come too late for it; our peers from its end, since it writes them.
 */
export interface Baseline {
    begin(views: Views): void;
    end(views: Views): void;
    /** A member that is not seen does not differ; one that is seen again, and was not by the last run, does. */
    differs(views: Views): boolean;
}

export function openBaseline(mesh: string): Baseline {
    const nodes = new Map<string, string>();
    const peers = new Map<string, string>();
    const seen = (views: Views) =>
        [...views].flatMap(([name, view]) => {
            const texts = view.texts(mesh);
            return texts === undefined ? [] : [{ name, nodes: digest(texts.nodes), peers: digest(texts.peers) }];
        });
    return {
        begin(views) {
            nodes.clear();
            for (const each of seen(views)) nodes.set(each.name, each.nodes);
        },
        end(views) {
            peers.clear();
            for (const each of seen(views)) peers.set(each.name, each.peers);
        },
        differs: (views) =>
            seen(views).some((each) => nodes.get(each.name) !== each.nodes || peers.get(each.name) !== each.peers),
    };
}
