import { type Endpoint, isReachable, parseEndpoint } from "../../kilo/endpoint";
import type { LivePeer } from "../../kilo/peer";
import { contains, type Network } from "../../net/cidr";
import { CONFIGURED_ANNOTATION, DISCOVERED_ANNOTATION, NO_ENDPOINT } from "../../values/labels";
import type { Segment } from "../segments/segment";

/** An endpoint that replaces the configured one in one target, with what makes it stay. */
export interface AdoptedEndpoint {
    readonly endpoint: Endpoint;
    readonly configured: string;
}

/**
 * What the target's nodes observed, else what was adopted before. Kilo forgets observations at every reconfiguration, and
 * several nodes may see different ports of one NAT: an adopted endpoint stays while any node still sees it or none sees
 * another, or until the configured one changes. So two runs in a row never flap.
 */
export function adoptedEndpoint(
    segment: Segment,
    anchors: readonly Network[],
    observed: readonly string[],
    live: LivePeer | undefined,
): AdoptedEndpoint | undefined {
    if (!segment.movable || (observed.length === 0 && live === undefined)) return undefined;
    const configured = segment.endpoint?.text ?? NO_ENDPOINT;
    const before = recorded(segment, configured, live);
    const isSeen = before !== undefined && observed.includes(before);
    if (!isSeen && observed.includes(configured)) return undefined;
    for (const text of [...(isSeen ? [] : observed), before]) {
        const endpoint = text === undefined ? undefined : usable(text, segment, anchors);
        if (endpoint !== undefined) return endpoint.text === configured ? undefined : { endpoint, configured };
    }
    return undefined;
}

/** Only while key and configured endpoint are what they were: it was that key's observation. */
function recorded(segment: Segment, configured: string, live: LivePeer | undefined): string | undefined {
    if (live?.spec.publicKey !== segment.key || live.annotations[CONFIGURED_ANNOTATION] !== configured)
        return undefined;
    return live.annotations[DISCOVERED_ANNOTATION];
}

function usable(text: string, segment: Segment, anchors: readonly Network[]): Endpoint | undefined {
    const endpoint = parseEndpoint(text);
    if (endpoint?.address === undefined || !isReachable(endpoint.address)) return undefined;
    const { address } = endpoint;
    const leadsBack = (network: Network) => contains(network, address);
    const isLoop =
        segment.carried.some(({ pods }) => pods.some(leadsBack)) ||
        (segment.wireguard !== undefined && leadsBack(segment.wireguard)) ||
        anchors.some(leadsBack);
    return isLoop ? undefined : endpoint;
}
