import { type Endpoint, isReachable, parseEndpoint } from "../../kilo/endpoint";
import { contains, type Network } from "../../net/cidr";
import { CONFIGURED_ANNOTATION, DISCOVERED_ANNOTATION, NO_ENDPOINT } from "../../values/labels";
import type { Segment } from "../segments/segment";
import type { OwnPeer } from "./classify";

/** An endpoint that replaces the configured one in one target, with the annotations that make it stay. */
export interface AdoptedEndpoint {
    readonly endpoint: Endpoint;
    readonly annotations: Readonly<Record<string, string>>;
}

/**
 * What the target's nodes observed, else what was adopted before: Kilo forgets observations at every reconfiguration,
 * so an adopted one stays until another is observed or the configured one changes (docs/kilo.md: what a handshake
 * proves).
 */
export function adoptedEndpoint(
    segment: Segment,
    anchors: readonly Network[],
    observed: unknown,
    live: OwnPeer | undefined,
): AdoptedEndpoint | undefined {
    if (!segment.movable) return undefined;
    const configured = segment.endpoint?.text ?? NO_ENDPOINT;
    if (observed === configured) return undefined;
    const endpoint =
        usable(observed, segment, anchors) ?? usable(recorded(segment, configured, live), segment, anchors);
    if (endpoint === undefined || endpoint.text === configured) return undefined;
    return {
        endpoint,
        annotations: { [DISCOVERED_ANNOTATION]: endpoint.text, [CONFIGURED_ANNOTATION]: configured },
    };
}

/** Only while key and configured endpoint are what they were: it was that key's observation. */
function recorded(segment: Segment, configured: string, live: OwnPeer | undefined): unknown {
    return live?.configured === configured && live.key === segment.key ? live.discovered : undefined;
}

function usable(text: unknown, segment: Segment, anchors: readonly Network[]): Endpoint | undefined {
    const endpoint = typeof text === "string" && text.length < 64 ? parseEndpoint(text) : undefined;
    if (endpoint?.address === undefined || !isReachable(endpoint.address)) return undefined;
    const { address } = endpoint;
    const leadsBack = (network: Network) => contains(network, address);
    const isLoop =
        segment.carried.some(({ pods }) => pods.some(leadsBack)) ||
        (segment.wireguard !== undefined && leadsBack(segment.wireguard)) ||
        anchors.some(leadsBack);
    return isLoop ? undefined : endpoint;
}
