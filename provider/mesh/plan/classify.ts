import type { KubePeer } from "../../kilo/types";
import { canonicalAddress } from "../../net/address";
import { type Network, networkOf } from "../../net/cidr";
import type { Owned } from "../../net/overlaps";
import {
    CONFIGURED_ANNOTATION,
    DISCOVERED_ANNOTATION,
    MANAGED_BY_LABEL,
    MESH_LABEL,
    OWNER_ANNOTATION,
    SOURCE_LABEL,
} from "../../values/labels";
import { byText, shown } from "../../values/show";
import { guarded, list, own } from "../../values/untrusted";
import { isOurs } from "../names";
import type { NetworkUser } from "../segments/build-segments";

/** The peers that exist in one target, told apart by whose they are. */
export interface LivePeers {
    /** Ours, and those that `adopt` makes ours, by name. */
    readonly ours: ReadonlyMap<string, OwnPeer>;
    /** Taken over: peers with our mesh and source labels that do not bear our claim. Sorted. */
    readonly adopted: readonly string[];
    /** Name to a description of the owner. */
    readonly foreignNames: ReadonlyMap<string, string>;
    /** Public key to the name of the peer that has it. */
    readonly foreignKeys: ReadonlyMap<string, string>;
    readonly foreignNetworks: readonly Owned<NetworkUser>[];
    /** Addresses at which foreign peers are reached. */
    readonly foreignEndpoints: readonly string[];
}

/** What planning wants to know of a peer of ours. */
export interface OwnPeer {
    readonly key: unknown;
    /** The DNS name it has for an endpoint. */
    readonly dns: unknown;
    readonly discovered: unknown;
    readonly configured: unknown;
}

export interface Ownership {
    readonly mesh: string;
    readonly target: string;
    readonly clusters: ReadonlySet<string>;
    readonly claim: string | undefined;
    readonly adopt: boolean;
}

/** Longer lists than this did not come from people; the rest of them is not looked at. */
const MOST_ALLOWED_IPS = 10_000;

export function readLivePeers(peers: unknown, ownership: Ownership): LivePeers {
    const ours = new Map<string, OwnPeer>();
    const adopted: string[] = [];
    const foreign: ForeignPeer[] = [];
    for (const peer of list(peers)) {
        const read = guarded((value) => readPeer(value, ownership), peer);
        if (read === undefined) continue;
        if (read.whose === "foreign") foreign.push(read);
        else ours.set(read.name, read);
        if (read.whose === "adopted") adopted.push(read.name);
    }
    foreign.sort((a, b) => byText(a.name, b.name));
    const foreignKeys = new Map<string, string>();
    for (const { name, key } of foreign) if (key !== undefined && !foreignKeys.has(key)) foreignKeys.set(key, name);
    return {
        ours,
        adopted: adopted.sort(byText),
        foreignNames: new Map(foreign.map(({ name, owner }) => [name, owner])),
        foreignKeys,
        foreignNetworks: foreign.flatMap(({ name, networks }) => {
            const owner: NetworkUser = { kind: "peer", name };
            return networks.map((network) => ({ network, owner }));
        }),
        foreignEndpoints: foreign.flatMap(({ endpoint }) => endpoint ?? []),
    };
}

interface ForeignPeer {
    readonly whose: "foreign";
    readonly name: string;
    readonly owner: string;
    readonly key: string | undefined;
    readonly networks: readonly Network[];
    readonly endpoint: string | undefined;
}

/** Everything is read here, once: a value that throws when it is looked at costs the peer that has it. */
function readPeer(
    peer: unknown,
    ownership: Ownership,
): ForeignPeer | (OwnPeer & { readonly whose: "ours" | "adopted"; readonly name: string }) | undefined {
    const metadata = own(peer, "metadata");
    const name = own(metadata, "name");
    if (typeof name !== "string" || name === "") return undefined;
    const spec = own(peer, "spec");
    const key = own(spec, "publicKey");
    const host = own(own(spec, "endpoint"), "dnsOrIP");
    const annotations = own(metadata, "annotations");
    const whose = isOurs(peer as KubePeer, ownership.claim) ? "ours" : adoptable(own(metadata, "labels"), ownership);
    if (whose !== "foreign") {
        const discovered = own(annotations, DISCOVERED_ANNOTATION);
        return {
            whose,
            name,
            key,
            dns: own(host, "dns"),
            discovered,
            configured: own(annotations, CONFIGURED_ANNOTATION),
        };
    }
    const ip = own(host, "ip");
    return {
        whose,
        name,
        owner: describeOwner(metadata, ownership),
        key: typeof key === "string" ? key : undefined,
        networks: list(own(spec, "allowedIPs"))
            .slice(0, MOST_ALLOWED_IPS)
            .flatMap((text) => (typeof text === "string" ? (networkOf(text) ?? []) : [])),
        endpoint: typeof ip === "string" ? canonicalAddress(ip) : undefined,
    };
}

function adoptable(labels: unknown, { mesh, target, clusters, adopt }: Ownership): "adopted" | "foreign" {
    if (!adopt || own(labels, MESH_LABEL) !== mesh) return "foreign";
    const source = own(labels, SOURCE_LABEL);
    return typeof source === "string" && source !== target && clusters.has(source) ? "adopted" : "foreign";
}

function describeOwner(metadata: unknown, { mesh }: Ownership): string {
    const labels = own(metadata, "labels");
    const owner = own(own(metadata, "annotations"), OWNER_ANNOTATION);
    const itsMesh = own(labels, MESH_LABEL);
    const manager = own(labels, MANAGED_BY_LABEL);
    const whose =
        typeof owner === "string"
            ? `of ${shown(owner)}`
            : typeof itsMesh === "string"
              ? `of mesh ${shown(itsMesh)}`
              : typeof manager === "string"
                ? `managed by ${shown(manager)}`
                : "of nobody we know";
    return itsMesh === mesh
        ? `${whose}; if it was this mesh's before its state was lost or an operator's, set adopt: true, and if the ` +
              "resource was renamed, give it an alias"
        : whose;
}
