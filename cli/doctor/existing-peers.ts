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

/** The traps of docs/kilo.md, in every peer that is there, whoever wrote it: one bad peer can disturb all others. */
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
        switch (parsed.code) {
            case "CidrHostBits":
                return [
                    {
                        code: "PeerUnmasked",
                        severity: "error",
                        what: `${what}; ${parsed.fix}`,
                        why: "Kilo then reconfigures WireGuard every 30 seconds and stops setting routes",
                    },
                ];
            case "CidrDefaultRoute":
                return [
                    {
                        code: "PeerDefaultRoute",
                        severity: "error",
                        what,
                        why: "all traffic of every node would go into that tunnel",
                    },
                ];
            default:
                return [
                    {
                        code: "PeerIgnored",
                        severity: "warning",
                        what,
                        why: "Kilo skips an invalid peer and does not say so",
                    },
                ];
        }
    }
    const own = podsAt(parsed);
    if (own === undefined || !contains(own.network, parsed)) return [];
    return [
        {
            code: "PeerTakesOwnPods",
            severity: "error",
            what: `allowedIPs has ${parsed.text}, which lies in the pod CIDR of this cluster's own node ${own.node}`,
            why: "Kilo replaces the node's own route with it: the pods there lose their network, even after the peer is gone",
        },
    ];
}

function keyTraps(key: string, own: ReadonlyMap<string, string>): readonly Trap[] {
    if (!isPublicKey(key)) {
        return [
            {
                code: "PeerIgnored",
                severity: "warning",
                what: "its publicKey is not 32 bytes of base64",
                why: "Kilo skips an invalid peer and does not say so",
            },
        ];
    }
    const node = own.get(key);
    if (node === undefined) return [];
    return [
        {
            code: "PeerOfOwnNode",
            severity: "error",
            what: `its public key is that of this cluster's own node ${node}`,
            why: "WireGuard keeps one entry per key: node and peer replace each other",
        },
    ];
}

function endpointTraps({ endpoint, allowedIPs }: LivePeer["spec"], unresolvable: ReadonlySet<string>): readonly Trap[] {
    if (endpoint === undefined) return [];
    const { ip, dns } = endpoint.dnsOrIP;
    const traps: Trap[] = [];
    const address = ip === undefined ? undefined : addressOf(ip);
    const around =
        address &&
        allowedIPs.find((text) => {
            const network = networkOf(text);
            return network !== undefined && contains(network, hostRoute(address));
        });
    if (around !== undefined) {
        traps.push({
            code: "PeerEndpointLoop",
            severity: "error",
            what: `its endpoint ${ip} lies inside its own allowed IPs (${around})`,
            why: "the tunnel's own packets are routed into the tunnel: it never opens",
        });
    }
    if (ip !== undefined && dns !== undefined) {
        traps.push({
            code: "PeerEndpointTwice",
            severity: "warning",
            what: `it has an IP and the DNS name ${dns}`,
            why: "Kilo takes the name, whatever its documentation says",
        });
    }
    if (dns !== undefined && unresolvable.has(dns)) {
        traps.push({
            code: "PeerEndpointUnresolvable",
            severity: "error",
            what: `its endpoint ${dns} does not resolve`,
            why: "one such name makes Kilo skip its whole configuration, on every node of the cluster",
        });
    }
    return traps;
}

const LONGEST_KEEPALIVE = 65_535;

function keepaliveTraps({ endpoint, persistentKeepalive = 0 }: LivePeer["spec"]): readonly Trap[] {
    if (endpoint === undefined && persistentKeepalive === 0) {
        return [
            {
                code: "PeerWithoutKeepalive",
                severity: "warning",
                what: "it has neither an endpoint nor a keepalive",
                why: "Kilo wipes the endpoint it learnt every 30 seconds; 20 to 50 % of the packets are lost",
            },
        ];
    }
    if (persistentKeepalive <= LONGEST_KEEPALIVE) return [];
    return [
        {
            code: "PeerKeepaliveTooLong",
            severity: "warning",
            what: `its persistentKeepalive is ${persistentKeepalive}, more than WireGuard knows`,
            why: "kgctl prints nanoseconds where seconds are meant",
        },
    ];
}

/** Keys and networks that two peers have. Told of the later one by name: Kilo lets the first have the network. */
function sharedValues(peers: readonly LivePeer[]): (peer: LivePeer) => readonly Trap[] {
    const keys = new Map<string, string>();
    const ranges = new Map<string, string>();
    const firstOf = (held: Map<string, string>, value: string, name: string): void => {
        if (!held.has(value)) held.set(value, name);
    };
    for (const { name, spec } of [...peers].sort((a, b) => byText(a.name, b.name))) {
        firstOf(keys, spec.publicKey, name);
        for (const text of spec.allowedIPs) firstOf(ranges, text, name);
    }
    return ({ name, spec }) => {
        const traps: Trap[] = [];
        const twin = keys.get(spec.publicKey);
        if (twin !== undefined && twin !== name) {
            traps.push({
                code: "PeerKeyTwice",
                severity: "error",
                what: `the peer ${twin} has the same public key`,
                why: "WireGuard keeps one entry per key: the networks of one of them vanish",
            });
        }
        for (const text of spec.allowedIPs) {
            const holder = ranges.get(text);
            if (holder === undefined || holder === name) continue;
            traps.push({
                code: "PeerNetworkTwice",
                severity: "error",
                what: `the peer ${holder} has ${text} too`,
                why: "the first by name gets the range, the other gets nothing",
            });
        }
        return traps;
    };
}
