import type { LivePeer } from "../../kilo/peer";
import { addressOf } from "../../net/address";
import { networkOf } from "../../net/cidr";
import type { Owned } from "../../net/overlaps";
import { MANAGED_BY_LABEL, MESH_LABEL, OWNER_ANNOTATION } from "../../values/labels";
import { byText, shown } from "../../values/show";
import { type Proof, type Whose, whose } from "../ownership";
import type { NetworkUser } from "../segments/build-segments";

/** The peers that exist in one target, told apart by whose they are. */
export interface LivePeers {
    /** Ours, and those that become ours in this run, by name and in the order of their names. */
    readonly ours: ReadonlyMap<string, LivePeer>;
    /** Of these, how those become ours that were not, by name. */
    readonly taken: ReadonlyMap<string, TakenHow>;
    readonly foreign: ReadonlyMap<string, LivePeer>;
    /** Public key to the name of the foreign peer that has it. */
    readonly foreignKeys: ReadonlyMap<string, string>;
    readonly foreignNetworks: readonly Owned<NetworkUser>[];
    /** Addresses at which foreign peers are reached. */
    readonly foreignEndpoints: readonly string[];
}

export type TakenHow = Exclude<Whose, "ours" | "foreign">;

/** What is known of a target that was not seen. */
export const NOBODY: LivePeers = {
    ours: new Map(),
    taken: new Map(),
    foreign: new Map(),
    foreignKeys: new Map(),
    foreignNetworks: [],
    foreignEndpoints: [],
};

export function classify(peers: readonly LivePeer[], proof: Proof): LivePeers {
    const ours = new Map<string, LivePeer>();
    const taken = new Map<string, TakenHow>();
    const foreign: LivePeer[] = [];
    // an API server lists by name, but nothing here may depend on it
    for (const peer of [...peers].sort((a, b) => byText(a.name, b.name))) {
        const owner = whose(peer, proof);
        if (owner === "foreign") foreign.push(peer);
        else ours.set(peer.name, peer);
        if (owner === "taken over" || owner === "adopted") taken.set(peer.name, owner);
    }
    const foreignKeys = new Map<string, string>();
    for (const { name, spec } of foreign) if (!foreignKeys.has(spec.publicKey)) foreignKeys.set(spec.publicKey, name);
    return {
        ours,
        taken,
        foreign: new Map(foreign.map((peer) => [peer.name, peer])),
        foreignKeys,
        foreignNetworks: foreign.flatMap(({ name, spec }) => {
            const owner: NetworkUser = { kind: "peer", name };
            return networksOf(spec.allowedIPs).map((network) => ({ network, owner }));
        }),
        foreignEndpoints: foreign.flatMap(({ spec }) => addressOf(spec.endpoint?.dnsOrIP.ip ?? "")?.text ?? []),
    };
}

/** Longer lists than this did not come from people; the rest of them is not looked at. */
const MOST_ALLOWED_IPS = 10_000;

const networksOf = (allowedIPs: readonly string[]) =>
    allowedIPs.slice(0, MOST_ALLOWED_IPS).flatMap((text) => networkOf(text) ?? []);

/** Whose a foreign peer is, for a person. */
export function describeOwner({ labels, annotations }: LivePeer, mesh: string): string {
    const owner = annotations[OWNER_ANNOTATION];
    const itsMesh = labels[MESH_LABEL];
    const manager = labels[MANAGED_BY_LABEL];
    const whom =
        owner !== undefined
            ? `of ${shown(owner)}`
            : itsMesh !== undefined
              ? `of mesh ${shown(itsMesh)}`
              : manager !== undefined
                ? `managed by ${shown(manager)}`
                : "of nobody we know";
    return itsMesh === mesh
        ? `${whom}; if it was this mesh's before its state was lost, or an operator's, set adopt: true`
        : whom;
}
