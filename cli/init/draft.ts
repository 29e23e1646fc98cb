import { isSetUp } from "../../provider/kilo/public-key";
import { readNodes } from "../../provider/kilo/read-nodes";
import { type Network, networkOf, outermost, overlaps, supernet } from "../../provider/net/cidr";
import { count, few } from "../../provider/values/show";
import { visible } from "../render/visible";
import type { Candidate, Surveyed } from "./survey";

/** What is written of a cluster. `notes` say what is not certain, and why. */
export interface DraftCluster extends Candidate {
    readonly podCIDRs: readonly string[];
    readonly serviceCIDR?: string;
    readonly wireguardCIDR?: string;
    readonly notes: readonly string[];
}

interface Ranges {
    readonly pods: readonly Network[];
    readonly services: readonly Network[];
    readonly wireguard: readonly Network[];
}

/** Blocks no wider than these are taken for the range of one cluster. */
const WIDEST = { 4: 16, 6: 48 } as const;

/** The networks that were found. A range is declared only where no other cluster has it: two may not share an address. */
export function draftClusters(
    candidates: readonly Candidate[],
    found: Readonly<Record<string, Surveyed>>,
): readonly DraftCluster[] {
    const facts = candidates.map(({ name }) => readNodes(found[name]!.nodes, {}, 0));
    const exact = facts.map((nodes) => outermost(nodes.flatMap(({ podCIDRs }) => networks(podCIDRs))));
    const wide = exact.map(covering);
    const ranges = candidates.map(({ name }, at): Ranges => {
        const { services } = found[name]!;
        const isFree = wide[at]!.every((block) => !sharedWith(wide, at, block));
        return {
            pods: isFree ? wide[at]! : exact[at]!,
            services: services.known ? networks(services.cidrs) : [],
            wireguard: outermost(facts[at]!.flatMap(({ wireguardIP }) => networks(wireguardIP ? [wireguardIP] : []))),
        };
    });
    const all = ranges.map(({ pods, services, wireguard }) => [...pods, ...services, ...wireguard]);
    return candidates.map((candidate, at) => {
        const nodes = facts[at]!;
        const { pods, services, wireguard } = ranges[at]!;
        const others = (block: Network): string | undefined => {
            const index = sharedWith(all, at, block);
            return index === undefined ? undefined : candidates[index]!.name;
        };
        const service = choose("serviceCIDR", services, others, found[candidate.name]!.services);
        const tunnel = choose("wireguardCIDR", wireguard, others);
        const waiting = nodes.filter((node) => !isSetUp(node));
        return {
            ...candidate,
            podCIDRs: pods.map(({ text }) => text),
            ...(service.value === undefined ? {} : { serviceCIDR: service.value }),
            ...(tunnel.value === undefined ? {} : { wireguardCIDR: tunnel.value }),
            notes: [
                `podCIDRs holds its ${count(nodes.length, "node")}. If the cluster's own range (--cluster-cidr) is wider, write that: nodes outside are left out.`,
                ...service.notes,
                ...tunnel.notes,
                ...(waiting.length === 0
                    ? []
                    : [
                          `Kilo has not set up ${few(waiting.map(({ name }) => name))} yet: these have no peers until it has.`,
                      ]),
            ].map(visible),
        };
    });
}

const networks = (texts: readonly string[]): readonly Network[] => texts.flatMap((text) => networkOf(text) ?? []);

/** The smallest blocks that hold the networks, one for each widest block that has some of them. */
function covering(exact: readonly Network[]): readonly Network[] {
    const groups = new Map<string, Network>();
    for (const network of exact) {
        const widest = supernet(network, WIDEST[network.family]);
        const block = groups.get(widest.text) ?? network;
        let prefix = Math.min(block.prefix, network.prefix);
        while (!overlaps(supernet(block, prefix), network)) prefix--;
        groups.set(widest.text, supernet(block, prefix));
    }
    return outermost([...groups.values()]);
}

/** Index of another cluster that has addresses of the block. */
function sharedWith(ranges: readonly (readonly Network[])[], own: number, block: Network): number | undefined {
    const index = ranges.findIndex((each, at) => at !== own && each.some((other) => overlaps(other, block)));
    return index < 0 ? undefined : index;
}

function choose(
    field: "serviceCIDR" | "wireguardCIDR",
    found: readonly Network[],
    others: (block: Network) => string | undefined,
    services?: Surveyed["services"],
): { readonly value?: string; readonly notes: readonly string[] } {
    const [first, ...rest] = found;
    if (first === undefined) {
        const why = services?.known === false ? services.why : "no node tells";
        return { notes: [`${field}: not known (${why}). ${WITHOUT[field]}`] };
    }
    const other = others(first);
    if (other !== undefined) {
        return {
            notes: [
                `${field}: ${first.text}, but ${other} uses addresses of it too, and two clusters may not. ${WITHOUT[field]}`,
            ],
        };
    }
    if (rest.length === 0) return { value: first.text, notes: [] };
    return {
        value: first.text,
        notes: [`${field}: there are more, ${few(rest.map(({ text }) => text))}: see additionalCIDRs.`],
    };
}

const WITHOUT = {
    serviceCIDR: "Without it, other clusters reach its pods and not its service addresses.",
    wireguardCIDR: "Without it, other clusters reach its pods and not the WireGuard addresses of its nodes.",
} as const;
