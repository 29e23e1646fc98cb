import type { LivePeer } from "../../provider/kilo/peer";
import { isPublicKey } from "../../provider/kilo/public-key";
import { addressOf } from "../../provider/net/address";
import { contains, hostRoute, type Network, networkOf, parseCidr } from "../../provider/net/cidr";
import { type OverlapFinder, overlapFinder } from "../../provider/net/overlaps";
import { byText } from "../../provider/values/show";
import type { Inspection, Member } from "./context";
import type { Finding } from "./finding";
import { quoted } from "./kubectl";

type Trap = Pick<Finding, "code" | "severity" | "what" | "why">;

/** What can be wrong with a peer, whoever wrote it, and what Kilo then does: the traps of docs/kilo.md. */
const TRAPS = {
    unmasked: {
        code: "PeerUnmasked",
        severity: "error",
        why: "Kilo then reconfigures WireGuard every 30 seconds and stops setting routes",
    },
    defaultRoute: {
        code: "PeerDefaultRoute",
        severity: "error",
        why: "all traffic of every node would go into that tunnel",
    },
    ignored: { code: "PeerIgnored", severity: "warning", why: "Kilo skips an invalid peer and does not say so" },
    takesOwnPods: {
        code: "PeerTakesOwnPods",
        severity: "error",
        why: "Kilo replaces the node's own route with it: the pods there lose their network, even after the peer is gone",
    },
    ofOwnNode: {
        code: "PeerOfOwnNode",
        severity: "error",
        why: "WireGuard keeps one entry per key: node and peer replace each other",
    },
    endpointLoop: {
        code: "PeerEndpointLoop",
        severity: "error",
        why: "the tunnel's own packets are routed into the tunnel: it never opens",
    },
    endpointTwice: {
        code: "PeerEndpointTwice",
        severity: "warning",
        why: "Kilo takes the name, whatever its documentation says",
    },
    endpointUnresolvable: {
        code: "PeerEndpointUnresolvable",
        severity: "error",
        why: "one such name makes Kilo skip its whole configuration, on every node of the cluster",
    },
    withoutKeepalive: {
        code: "PeerWithoutKeepalive",
        severity: "warning",
        why: "Kilo wipes the endpoint it learnt every 30 seconds; 20 to 50 % of the packets are lost",
    },
    keepaliveTooLong: {
        code: "PeerKeepaliveTooLong",
        severity: "warning",
        why: "kgctl prints nanoseconds where seconds are meant",
    },
    keyTwice: {
        code: "PeerKeyTwice",
        severity: "error",
        why: "WireGuard keeps one entry per key: one of the two loses its networks",
    },
    networkTwice: {
        code: "PeerNetworkTwice",
        severity: "error",
        why: "the first by name gets the range, the other gets nothing",
    },
} as const satisfies Record<string, Omit<Trap, "what">>;

/** One bad peer can disturb all others. */
export const existingPeers: Inspection = (member) => {
    const { seen, spec, kubectl } = member;
    const twins = sharedValues(seen.peers);
    const trapsOf = trapFinder(member);
    return seen.peers.flatMap((peer) =>
        [...trapsOf(peer), ...twins(peer)].map(
            (trap): Finding => ({
                ...trap,
                check: "existing peers",
                cluster: spec.name,
                peer: peer.name,
                next: kubectl("get", "peer", quoted(peer.name), "-o", "yaml"),
            }),
        ),
    );
};

function trapFinder({ seen: { nodes }, assessment }: Member): (peer: LivePeer) => readonly Trap[] {
    const keys = new Map(nodes.flatMap(({ key, name }) => (key === undefined ? [] : [[key, name] as const])));
    const pods = nodes.flatMap(({ name, podCIDRs }) =>
        podCIDRs.flatMap((text) => {
            const network = networkOf(text);
            return network === undefined ? [] : [{ network, owner: { node: name, network } }];
        }),
    );
    const podsAt = overlapFinder(pods);
    const unresolvable = new Set(assessment.sight.unresolvable);
    return ({ spec }) => [
        ...spec.allowedIPs.flatMap((text) => rangeTraps(text, podsAt)),
        ...keyTraps(spec.publicKey, keys),
        ...endpointTraps(spec, unresolvable),
        ...keepaliveTraps(spec),
    ];
}

function rangeTraps(
    text: string,
    podsAt: OverlapFinder<{ readonly node: string; readonly network: Network }>,
): readonly Trap[] {
    const parsed = parseCidr(text);
    if ("problem" in parsed) {
        const what = `allowedIPs has ${JSON.stringify(text)}, which ${parsed.problem}`;
        if (parsed.code === "CidrHostBits") return [{ ...TRAPS.unmasked, what: `${what}. ${parsed.fix}` }];
        return [{ ...(parsed.code === "CidrDefaultRoute" ? TRAPS.defaultRoute : TRAPS.ignored), what }];
    }
    const own = podsAt(parsed);
    if (own === undefined || !contains(own.network, parsed)) return [];
    const what = `allowedIPs has ${parsed.text}, which lies in the pod CIDR of this cluster's own node ${own.node}`;
    return [{ ...TRAPS.takesOwnPods, what }];
}

function keyTraps(key: string, own: ReadonlyMap<string, string>): readonly Trap[] {
    if (!isPublicKey(key)) return [{ ...TRAPS.ignored, what: "its publicKey is not 32 bytes of base64" }];
    const node = own.get(key);
    if (node === undefined) return [];
    return [{ ...TRAPS.ofOwnNode, what: `its public key is that of this cluster's own node ${node}` }];
}

function endpointTraps({ endpoint, allowedIPs }: LivePeer["spec"], unresolvable: ReadonlySet<string>): readonly Trap[] {
    const { ip, dns } = endpoint?.dnsOrIP ?? {};
    const traps: Trap[] = [];
    const address = ip === undefined ? undefined : addressOf(ip);
    const around =
        address &&
        allowedIPs.find((text) => {
            const network = networkOf(text);
            return network !== undefined && contains(network, hostRoute(address));
        });
    if (around !== undefined) {
        traps.push({ ...TRAPS.endpointLoop, what: `its endpoint ${ip} lies inside its own allowed IPs (${around})` });
    }
    if (ip !== undefined && dns !== undefined) {
        traps.push({ ...TRAPS.endpointTwice, what: `it has an IP and the DNS name ${dns}` });
    }
    if (dns !== undefined && unresolvable.has(dns)) {
        traps.push({ ...TRAPS.endpointUnresolvable, what: `its endpoint ${dns} does not resolve` });
    }
    return traps;
}

const LONGEST_KEEPALIVE = 65_535;

function keepaliveTraps({ endpoint, persistentKeepalive = 0 }: LivePeer["spec"]): readonly Trap[] {
    if (endpoint === undefined && persistentKeepalive === 0) {
        return [{ ...TRAPS.withoutKeepalive, what: "it has neither an endpoint nor a keepalive" }];
    }
    if (persistentKeepalive <= LONGEST_KEEPALIVE) return [];
    const what = `its persistentKeepalive is ${persistentKeepalive}, more than WireGuard knows`;
    return [{ ...TRAPS.keepaliveTooLong, what }];
}

/** Keys and networks that two peers have. Told of the later one by name: Kilo lets the first have the network. */
function sharedValues(peers: readonly LivePeer[]): (peer: LivePeer) => readonly Trap[] {
    const keys = new Map<string, string>();
    const ranges = new Map<string, string>();
    for (const { name, spec } of [...peers].sort((a, b) => byText(b.name, a.name))) {
        keys.set(spec.publicKey, name);
        for (const text of spec.allowedIPs) ranges.set(text, name);
    }
    return ({ name, spec }) => {
        const twin = keys.get(spec.publicKey);
        const shared = spec.allowedIPs.filter((text) => ranges.get(text) !== name);
        return [
            ...(twin === name ? [] : [{ ...TRAPS.keyTwice, what: `the peer ${twin} has the same public key` }]),
            ...shared.map((text) => ({ ...TRAPS.networkTwice, what: `the peer ${ranges.get(text)} has ${text} too` })),
        ];
    };
}
