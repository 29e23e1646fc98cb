import { parseEndpoint } from "../kilo/endpoint";
import { isPublicKey } from "../kilo/public-key";
import type { KubePeer, PeerEndpoint } from "../kilo/types";
import type { PlannedPeer } from "../mesh/types";
import { networkOf } from "../net/cidr";
import { digest } from "../values/digest";
import { CONFIGURED_ANNOTATION, DISCOVERED_ANNOTATION, NO_ENDPOINT } from "../values/labels";
import { guarded, isRecord, list, own } from "../values/untrusted";

/**
 * A peer as one line of text: it reads well in a diff, and the engine's cost grows with the number of values
 * (docs/pulumi.md: cost grows with values):
 *
 *     <key> 192.0.2.1:51820 keepalive=25 10.2.1.0/24,10.4.0.1/32
 *     <key> 198.51.100.7:40123 configured=192.0.2.1:51820 10.2.1.0/24
 *     <key> no-endpoint keepalive=25 10.2.1.0/24
 */
export type PeerText = Pick<PlannedPeer, "spec" | "annotations">;

const WITHOUT_ENDPOINT = "no-endpoint";
/** No planned line has this word, so a live peer that has it differs from all of them. */
const UNEXPECTED = "unexpected=";
const SPEC_FIELDS: ReadonlySet<string> = new Set(["allowedIPs", "publicKey", "endpoint", "persistentKeepalive"]);

export function encodePeer({ spec, annotations }: PeerText): string {
    const words = [spec.publicKey, spec.endpoint === undefined ? WITHOUT_ENDPOINT : endpointText(spec.endpoint)];
    if (spec.persistentKeepalive !== undefined) words.push(`keepalive=${spec.persistentKeepalive}`);
    const configured = annotations?.[CONFIGURED_ANNOTATION];
    if (configured !== undefined) words.push(`configured=${configured}`);
    words.push(spec.allowedIPs.join(","));
    return words.join(" ");
}

/** The reverse of `encodePeer`; of a line that it did not write, as much as can be read. */
export function decodePeer(line: string): PeerText {
    const [publicKey = "", where = "", ...rest] = line.split(" ");
    const options = new Map(rest.slice(0, -1).map((word) => splitAt(word, "=")));
    const endpoint = where === WITHOUT_ENDPOINT ? undefined : parseEndpoint(where)?.spec;
    const keepalive = Number(options.get("keepalive") ?? 0);
    const configured = options.get("configured");
    return {
        spec: {
            allowedIPs: (rest.at(-1) ?? "").split(",").filter((text) => text !== ""),
            publicKey,
            ...(endpoint === undefined ? {} : { endpoint }),
            ...(Number.isInteger(keepalive) && keepalive > 0 ? { persistentKeepalive: keepalive } : {}),
        },
        ...(configured === undefined
            ? {}
            : { annotations: { [DISCOVERED_ANNOTATION]: where, [CONFIGURED_ANNOTATION]: configured } }),
    };
}

/**
 * The same text for a live object. One that has anything we would never write gives a line that no planned peer has; a
 * preshared key is named but never shown.
 */
export function lineOfLive(peer: KubePeer): string {
    return guarded(readLine, peer) ?? `${UNEXPECTED}object`;
}

function readLine(peer: unknown): string {
    const spec = own(peer, "spec");
    const annotations = own(own(peer, "metadata"), "annotations");
    const unexpected = new Set(
        Object.keys(isRecord(spec) ? spec : {}).filter((field) => isOdd(field, own(spec, field))),
    );
    const key = own(spec, "publicKey");
    if (typeof key !== "string" || !isPublicKey(key)) unexpected.add("publicKey");
    const allowedIPs = list(own(spec, "allowedIPs"));
    if (!allowedIPs.every(isCanonical) || allowedIPs.length === 0) unexpected.add("allowedIPs");
    const endpoint = liveEndpoint(own(spec, "endpoint"));
    if (endpoint === null) unexpected.add("endpoint");
    const keepalive = own(spec, "persistentKeepalive") ?? 0;
    if (!isKeepalive(keepalive)) unexpected.add("persistentKeepalive");
    const configured = own(annotations, CONFIGURED_ANNOTATION);
    const discovered = own(annotations, DISCOVERED_ANNOTATION);
    if (!isAdoption(discovered, configured, endpoint)) unexpected.add("annotations");

    // what cannot be read is told by a digest: bounded, printable, and different when it changes
    const readable = !["publicKey", "allowedIPs", "endpoint", "persistentKeepalive"].some((field) =>
        unexpected.has(field),
    );
    const line = readable
        ? encodePeer({
              spec: {
                  publicKey: key as string,
                  allowedIPs: allowedIPs as readonly string[],
                  ...(isRecord(endpoint) ? { endpoint: endpoint as unknown as PeerEndpoint } : {}),
                  ...(keepalive === 0 ? {} : { persistentKeepalive: keepalive as number }),
              },
              ...(typeof configured === "string" && !unexpected.has("annotations")
                  ? { annotations: { [CONFIGURED_ANNOTATION]: configured } }
                  : {}),
          })
        : digest(JSON.stringify([key, allowedIPs, own(spec, "endpoint"), keepalive]) ?? "");
    return unexpected.size === 0 ? line : `${UNEXPECTED}${[...unexpected].sort().map(word).join(",")} ${line}`;
}

/** A field that we never write, with a value. */
function isOdd(field: string, value: unknown): boolean {
    return !SPEC_FIELDS.has(field) && value !== undefined && value !== null && value !== "";
}

function isCanonical(text: unknown): boolean {
    return typeof text === "string" && networkOf(text)?.text === text;
}

function isKeepalive(value: unknown): boolean {
    return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65535;
}

/** Undefined where there is none, null where it is not one that we would write. */
function liveEndpoint(value: unknown): PeerEndpoint | undefined | null {
    if (value === undefined || value === null) return undefined;
    const { ip, dns } = { ip: own(own(value, "dnsOrIP"), "ip"), dns: own(own(value, "dnsOrIP"), "dns") };
    const port = own(value, "port");
    const host = typeof ip === "string" && ip !== "" ? ip : dns;
    if (typeof host !== "string" || typeof port !== "number" || (host === ip && dns !== undefined && dns !== ""))
        return null;
    const parsed = parseEndpoint(host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)?.spec;
    const isSame = parsed !== undefined && (parsed.dnsOrIP.ip ?? parsed.dnsOrIP.dns) === host && parsed.port === port;
    return isSame && (parsed.dnsOrIP.ip === undefined) === (host === dns) ? parsed : null;
}

/** Both annotations or neither, and the endpoint is the one that was adopted. */
function isAdoption(discovered: unknown, configured: unknown, endpoint: PeerEndpoint | undefined | null): boolean {
    if (discovered === undefined && configured === undefined) return true;
    if (
        typeof configured !== "string" ||
        (configured !== NO_ENDPOINT && parseEndpoint(configured)?.text !== configured)
    ) {
        return false;
    }
    return isRecord(endpoint) && discovered === endpointText(endpoint as unknown as PeerEndpoint);
}

function endpointText({ dnsOrIP, port }: PeerEndpoint): string {
    const host = dnsOrIP.ip ?? dnsOrIP.dns ?? "";
    return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function word(text: string): string {
    return text.slice(0, 40).replace(/[^\w-]/g, "?");
}

function splitAt(text: string, mark: string): readonly [string, string] {
    const at = text.indexOf(mark);
    return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
