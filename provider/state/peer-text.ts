import { parseEndpoint } from "../kilo/endpoint";
import { endpointText, type LivePeer, type Peer } from "../kilo/peer";
import { digest } from "../values/digest";

/**
 * A peer as one line of text: it reads well in a diff, and the engine's cost grows with the number of values
 * (docs/pulumi.md: cost grows with values):
 *
 *     <key> 192.0.2.1:51820 keepalive=25 10.2.1.0/24,10.4.0.1/32
 *     <key> 198.51.100.7:40123 configured=192.0.2.1:51820 10.2.1.0/24
 *     <key> no-endpoint keepalive=25 10.2.1.0/24
 */
export function encodePeer({ spec, configured }: Peer): string {
    const words = [spec.publicKey, spec.endpoint === undefined ? WITHOUT_ENDPOINT : endpointText(spec.endpoint)];
    if (spec.persistentKeepalive !== undefined) words.push(`keepalive=${spec.persistentKeepalive}`);
    if (configured !== undefined) words.push(`configured=${configured}`);
    words.push(spec.allowedIPs.join(","));
    return words.join(" ");
}

const WITHOUT_ENDPOINT = "no-endpoint";

/** The reverse of `encodePeer`; of a line that it did not write, as much as can be read. */
export function decodePeer(line: string): Peer {
    const [publicKey, where, ...rest] = line.split(" ") as [string, ...string[]];
    const options = new Map(rest.map((word) => word.split("=") as [string, string]));
    const endpoint = parseEndpoint(where ?? WITHOUT_ENDPOINT)?.spec;
    const keepalive = Number(options.get("keepalive") ?? 0);
    const configured = options.get("configured");
    return {
        spec: {
            allowedIPs: (rest.at(-1) ?? "").split(",").filter((text) => text !== ""),
            publicKey,
            ...(endpoint === undefined ? {} : { endpoint }),
            ...(Number.isInteger(keepalive) && keepalive > 0 ? { persistentKeepalive: keepalive } : {}),
        },
        ...(configured === undefined ? {} : { configured }),
    };
}

const UNREADABLE = ["publicKey", "allowedIPs", "endpoint", "persistentKeepalive"];

/**
 * The same text for a live object. One that has anything we would never write gives a line that no wanted peer has, and
 * what cannot be read is told by a digest: bounded, printable, and different when it changes.
 */
export function encodeLive(live: LivePeer): string {
    const { unexpected, spec } = live;
    if (unexpected.length === 0) return encodePeer(live);
    const line = UNREADABLE.some((field) => unexpected.includes(field))
        ? digest(
              JSON.stringify([spec.publicKey, spec.allowedIPs, spec.endpoint ?? null, spec.persistentKeepalive ?? 0]),
          )
        : encodePeer(live);
    return `unexpected=${unexpected.join(",")} ${line}`;
}
