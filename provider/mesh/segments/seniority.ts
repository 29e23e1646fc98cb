import { isInLocation } from "../../kilo/kilo-segments";
import { byText } from "../../values/show";
import { type Judging, type NodeState, namesOf } from "./identity";
import { podOwners } from "./pod-owners";
import { kindOf } from "./segment";

/**
 * The order in which nodes are given their networks, by name. Only where two claim one: first who has it now in some
 * target, and a node whose facts are merely remembered last.
 */
export function bySeniority(states: readonly NodeState[], judging: Judging): readonly NodeState[] {
    const claimed = new Set<string>();
    const trial = podOwners(states.flatMap(({ pods }) => pods ?? []));
    for (const { pods = [], node, selected } of states) {
        if (!selected) continue;
        for (const network of pods) {
            const other = trial.holder(network);
            if (other !== undefined) claimed.add(other).add(node.name);
            trial.add(network, node.name);
        }
    }
    if (claimed.size === 0) return states;
    const rank = ({ node, pods = [] }: NodeState): number => {
        if (!claimed.has(node.name)) return 0;
        const names = namesOf(kindOf(node), judging);
        if (pods.some(({ text }) => judging.holdings.has(names, text))) return 1;
        return node.kept?.includes("pod CIDR") ? 3 : 2;
    };
    return ranked(states, rank);
}

/** The same for keys: of several nodes with one key, who has it. Those that another cluster holds are not given out. */
export function giveOutKeys(states: readonly NodeState[], { keys, cluster, holdings, ...judging }: Judging): void {
    const claimants = new Map<string, NodeState[]>();
    for (const state of states) {
        const { key } = state.node;
        if (key === undefined || !(state.carried || (isInLocation(state.node) && !state.excluded))) continue;
        const before = claimants.get(key);
        if (before === undefined) claimants.set(key, [state]);
        else before.push(state);
    }
    for (const [key, nodes] of claimants) {
        const holder = keys.get(key);
        if (nodes.length < 2 || (holder !== undefined && holder.cluster !== cluster.name)) continue;
        const [first] = ranked(nodes, ({ node, carried }) => {
            // one that is left out may lend its key to its location, and holds it against nobody
            if (!carried) return 4;
            if (holdings.keyOf(namesOf(kindOf(node), { ...judging, cluster })) === key) return 1;
            return node.kept?.includes("key") ? 3 : 2;
        });
        keys.set(key, { node: first!.node.name, cluster: cluster.name });
    }
}

function ranked(states: readonly NodeState[], rank: (state: NodeState) => number): readonly NodeState[] {
    return states
        .map((state) => ({ state, rank: rank(state) }))
        .sort((a, b) => a.rank - b.rank || byText(a.state.node.name, b.state.node.name))
        .map(({ state }) => state);
}
