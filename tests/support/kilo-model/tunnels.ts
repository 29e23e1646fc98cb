import type { DevicePeer } from "./device";
import { type Endpoint, endpointId } from "./endpoint";
import type { Host } from "./host";
import { type Failure, failure } from "./reach";
import type { Underlay } from "./underlay";

/** What two ends make of each other. */
export interface Tunnel {
    readonly ok: true;
    /** The first end can open it, by what its agent wants. */
    readonly opens: boolean;
    /** It works until an agent checks: every 30 seconds. */
    readonly unstable: Failure | undefined;
    readonly near: DevicePeer;
    readonly far: DevicePeer;
}

export type TunnelBetween = (near: Host, far: Host) => Tunnel | Failure;

/** Whether the two ends can have a session, remembered for as long as nothing changes. */
export function tunnels(net: Underlay, size: number): TunnelBetween {
    const known: (Tunnel | Failure)[] = [];
    return (near, far) => {
        const at = near.id * size + far.id;
        known[at] ??= tunnel(net, near, far);
        return known[at];
    };
}

function tunnel(net: Underlay, near: Host, far: Host): Tunnel | Failure {
    const [mine, theirs] = [entry(near, far), entry(far, near)];
    if ("ok" in mine) return mine;
    if ("ok" in theirs) return theirs;
    if (mine.presharedKey !== theirs.presharedKey) {
        return failure("preshared-key", far.ref, `${near.ref.node} has another preshared key, or none`);
    }
    const loop = inTunnel(net, near, mine, far) ?? inTunnel(net, far, theirs, near);
    if (loop !== undefined) return loop;
    const opens = canOpen(net, near, mine, far);
    const opened = canOpen(net, far, theirs, near);
    if (!opens && !opened) return closed(net, near, mine, far);
    const unstable = (opened ? undefined : lasting(far, theirs)) ?? (opens ? undefined : lasting(near, mine));
    return { ok: true, opens, unstable, near: mine, far: theirs };
}

function entry(host: Host, other: Host): DevicePeer | Failure {
    const { device, leader } = host.agent;
    if (device === undefined) {
        return failure("not-leader", host.ref, `${host.ref.node} has no tunnels: ${leader ?? "nobody"} leads`);
    }
    const found = device.peers.get(other.facts.key ?? "");
    const who = `${other.ref.cluster}/${other.ref.node}`;
    return found ?? failure("peer-missing", host.ref, `${host.ref.node} has no WireGuard peer with the key of ${who}`);
}

/** What stands after the next check of the agent: only a peer that may roam keeps what was learnt. */
const standing = ({ roams, endpoint, configured }: DevicePeer): Endpoint | undefined => (roams ? endpoint : configured);

/** A routing loop, against which Kilo does not guard Peers (docs/kilo.md: endpoint inside allowed IPs). */
function inTunnel(net: Underlay, host: Host, peer: DevicePeer, other: Host): Failure | undefined {
    const endpoint = standing(peer) ?? net.sourceOf(other, host);
    if (endpoint === undefined || host.agent.routes?.lookup(endpoint.ip)?.kind !== "tunnel") return undefined;
    return failure("endpoint-in-tunnel", host.ref, `${endpointId(endpoint)} of ${peer.name} is routed into a tunnel`);
}

function canOpen(net: Underlay, host: Host, peer: DevicePeer, other: Host): boolean {
    const endpoint = standing(peer);
    return endpoint !== undefined && !net.blocked(host, other) && net.leadsTo(host, endpoint, other);
}

function closed(net: Underlay, near: Host, mine: DevicePeer, far: Host): Failure {
    const endpoint = standing(mine);
    const target = endpoint === undefined ? "no endpoint" : endpointId(endpoint);
    const reason = net.blocked(near, far) || net.blocked(far, near) ? "blocked" : "no-endpoint-answers";
    return failure(reason, near.ref, `${mine.name} has ${target}, and ${far.ref.node} cannot open the tunnel either`);
}

/** docs/kilo.md, persistentKeepalive 0: the agent pins what the Peer says, an endpoint or none. */
function lasting({ ref }: Host, { roams, configured, name }: DevicePeer): Failure | undefined {
    if (roams) return undefined;
    return configured === undefined
        ? failure("learnt-endpoint-wiped", ref, `${name} has neither endpoint nor persistentKeepalive`)
        : failure("roaming-reset", ref, `${name} is pinned to ${endpointId(configured)}, which does not lead there`);
}
