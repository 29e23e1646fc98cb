import { type Address, contains, formatAddress, parseAddress, parseCidr } from "./addresses";
import type { DataPlane } from "./data-plane";
import type { ClusterObjects } from "./objects";

/** What a program says: who is joined with whom, and by which addresses. */
export interface Declaration {
    /** Pairs of clusters, or all with all. */
    readonly links: readonly (readonly [string, string])[] | "all";
    /** What a cluster lets in; everything if it is not named. */
    readonly acceptedNetworks?: Readonly<Record<string, readonly string[]>>;
    /** Nodes that take part; all of a cluster that is not named. */
    readonly meshed?: Readonly<Record<string, readonly string[]>>;
    /** Pods of a node, one or one per family; the third address of its first pod network if it is not named. */
    readonly podIPs?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
    /** Joined by the program and kept apart by something else, each a cluster or `cluster/node`. */
    readonly apart?: readonly (readonly [string, string])[];
}

/** A pod of a node. */
export interface Pod {
    readonly cluster: string;
    readonly node: string;
    readonly address: string;
}

/** One that the program may join with others. */
export interface Candidate extends Pod {
    readonly parsed: Address;
    readonly meshed: boolean;
}

export const podOf = ({ cluster, node, address }: Candidate): Pod => ({ cluster, node, address });

/** Of nodes that Kilo counts as ready: what becomes of the others is not for Peers to decide. */
export function podsOf(
    clusters: Readonly<Record<string, ClusterObjects>>,
    { meshed, podIPs }: Declaration,
    model: Pick<DataPlane, "notReady">,
): readonly Candidate[] {
    return Object.entries(clusters).flatMap(([cluster, { nodes }]) => {
        const notReady = model.notReady(cluster);
        const taking = meshed?.[cluster] && new Set(meshed[cluster]);
        return nodes.flatMap(({ metadata, spec }) => {
            const node = metadata?.name ?? "";
            if (node in notReady) return [];
            const addresses = podIPs?.[cluster]?.[node] ?? somePod(spec?.podCIDR ?? spec?.podCIDRs?.[0] ?? "");
            return addresses.flatMap((address) => {
                const parsed = parseAddress(address);
                if (parsed === undefined) return [];
                return [{ cluster, node, address, parsed, meshed: taking?.has(node) ?? true }];
            });
        });
    });
}

function somePod(podCIDR: string): readonly string[] {
    const cidr = parseCidr(podCIDR);
    if (cidr === undefined) return [];
    return [formatAddress(typeof cidr.network === "number" ? cidr.network + 2 : cidr.network + 2n)];
}

/** Whether the program joins the two. */
export function joins({
    links,
    acceptedNetworks = {},
    apart = [],
}: Declaration): (a: Candidate, b: Candidate) => boolean {
    const pairs = links === "all" ? undefined : new Set(links.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
    const accepted = new Map(
        Object.entries(acceptedNetworks).map(([name, texts]) => [name, texts.flatMap((text) => parseCidr(text) ?? [])]),
    );
    const accepts = (target: string, { parsed }: Candidate): boolean =>
        accepted.get(target)?.some((cidr) => contains(cidr, parsed)) ?? true;
    const isOf = (end: string, { cluster, node }: Candidate): boolean =>
        end === cluster || end === `${cluster}/${node}`;
    const isApart = (a: Candidate, b: Candidate): boolean =>
        apart.some(([one, other]) => (isOf(one, a) && isOf(other, b)) || (isOf(one, b) && isOf(other, a)));
    return (a, b) =>
        a.meshed &&
        b.meshed &&
        !isApart(a, b) &&
        (pairs?.has(`${a.cluster} ${b.cluster}`) ?? true) &&
        accepts(a.cluster, b) &&
        accepts(b.cluster, a);
}

/** Which clusters a program links: the pairs that it names, all with each hub, or all with all. */
export function linksOf(
    names: readonly string[],
    topology?: {
        readonly hubs?: readonly string[];
        readonly links?: readonly { readonly a: string; readonly b: string }[];
    },
): readonly (readonly [string, string])[] {
    if (topology?.links !== undefined) return topology.links.map(({ a, b }) => [a, b] as const);
    const hubs = topology?.hubs ?? names;
    return hubs.flatMap((hub) => names.filter((name) => name !== hub).map((name) => [hub, name] as const));
}
