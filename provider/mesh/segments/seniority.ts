import { isInLocation } from "../../kilo/kilo-segments";
import { byText, shown } from "../../values/show";
import { refusal } from "../report/skip";
import { type Judging, type NodeState, namesOf, refuse } from "./identity";
import { checkPods } from "./node-check";
import { type PodOwners, podOwners } from "./pod-owners";
import { kindOf } from "./segment";

/**
 * Gives nodes their pod networks, in the order of their names. Only where two claim one: first who has it now in some
 * target, and a node whose facts are merely remembered last.
 */
export function giveOutPods(states: readonly NodeState[], judging: Omit<Judging, "owners">): PodOwners {
    const lengths = new Set<number>();
    for (const { pods } of states) for (const { prefix } of pods) lengths.add(prefix);
    const owners = podOwners(lengths);
    let isContested = false;
    for (const state of states) {
        const { node, pods, selected } = state;
        if (!selected) continue;
        const found = checkPods(node, pods, judging.cluster);
        if (found !== undefined) refuse(state, found, judging);
        else
            for (const network of pods) {
                isContested ||= owners.holder(network) !== undefined;
                owners.add(network, node.name);
            }
    }
    if (!isContested) return owners;
    const settled = podOwners(lengths);
    const rank = ({ node, pods }: NodeState): number => {
        const names = namesOf(kindOf(node), judging);
        if (pods.some(({ text }) => judging.holdings.has(names, text))) return 1;
        return node.kept?.includes("pod CIDR") ? 3 : 2;
    };
    const carried = states.filter((state) => state.carried);
    for (const state of ranked(carried, rank)) {
        const { node, pods } = state;
        const taken = pods.find((network) => settled.holder(network) !== undefined);
        if (taken === undefined) for (const network of pods) settled.add(network, node.name);
        else {
            const message = `its pod CIDR ${taken.text} overlaps that of ${shown(settled.holder(taken))}`;
            refuse(state, refusal("NodePodCIDRDuplicate", message), judging);
        }
    }
    return settled;
}

/** The same for keys: of several nodes with one key, who has it. Those that another cluster holds are not given out. */
export function giveOutKeys(states: readonly NodeState[], { keys, cluster, holdings, ...judging }: Judging): void {
    const claimants = states.filter(
        (state) => state.node.key !== undefined && (state.carried || (isInLocation(state.node) && !state.excluded)),
    );
    for (const key of repeatedKeys(claimants)) {
        const nodes = claimants.filter(({ node }) => node.key === key);
        const holder = keys.get(key);
        if (holder !== undefined && holder.cluster !== cluster.name) continue;
        const [first] = ranked(nodes, ({ node, carried }) => {
            // one that is left out may lend its key to its location, and holds it against nobody
            if (!carried) return 4;
            if (holdings.keyOf(namesOf(kindOf(node), { ...judging, cluster })) === key) return 1;
            return node.kept?.includes("key") ? 3 : 2;
        });
        keys.set(key, { node: first!.node.name, cluster: cluster.name });
    }
}

function repeatedKeys(states: readonly NodeState[]): ReadonlySet<string> {
    const once = new Set<string>();
    const repeated = new Set<string>();
    for (const { node } of states) if (once.size === once.add(node.key!).size) repeated.add(node.key!);
    return repeated;
}

function ranked(states: readonly NodeState[], rank: (state: NodeState) => number): readonly NodeState[] {
    return states
        .map((state) => ({ state, rank: rank(state) }))
        .sort((a, b) => a.rank - b.rank || byText(a.state.node.name, b.state.node.name))
        .map(({ state }) => state);
}
