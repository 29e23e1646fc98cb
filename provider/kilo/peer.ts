import { networkOf } from "../net/cidr";
import { CONFIGURED_ANNOTATION, DISCOVERED_ANNOTATION, NO_ENDPOINT } from "../values/labels";
import { isRecord, isWhole, list, own } from "../values/untrusted";
import { parseEndpoint } from "./endpoint";
import { isPublicKey } from "./public-key";
import type { PeerEndpoint, PeerSpec } from "./types";

/** A Kilo peer as a value: what Kilo is told, and nothing of the text or the object it came from. */
export interface Peer {
    readonly spec: PeerSpec;
    /** The configured endpoint that an observed one replaced, `none` where there was none. */
    readonly configured?: string;
}

/** A peer that is in a cluster. */
export interface LivePeer extends Peer {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    /** Fields that hold what we would never write, sorted. Their values in `spec` are as they were found. */
    readonly unexpected: readonly string[];
    /** It is being deleted, and these hold it. */
    readonly finalizers?: readonly string[];
}

/** A peer as it is wanted in a target. */
export interface WantedPeer {
    readonly name: string;
    /** The cluster it stands for. */
    readonly source: string;
    readonly peer: Peer;
}

const SPEC_FIELDS: ReadonlySet<string> = new Set(["allowedIPs", "publicKey", "endpoint", "persistentKeepalive"]);
const KEPT_PREFIX = "kilo-clustermesh.io/";
const MANAGED_BY = "app.kubernetes.io/managed-by";
/** Longest value that is kept; anything longer is wrong and stays recognisably wrong when it is cut. */
const LONGEST = 1024;
const MOST_LABELS = 64;

/** Reads an API object. What it holds is never trusted; only an object without a name is no peer at all. */
export function readPeer(object: unknown): LivePeer | undefined {
    const metadata = own(object, "metadata");
    const name = own(metadata, "name");
    if (typeof name !== "string" || name === "") return undefined;
    const spec = own(object, "spec");
    const unexpected = new Set(
        Object.keys(isRecord(spec) ? spec : {}).filter((field) => isOdd(field, own(spec, field))),
    );
    const publicKey = short(own(spec, "publicKey"));
    if (!isPublicKey(publicKey)) unexpected.add("publicKey");
    // all of them, however many: a network left out here could be given away twice
    const allowedIPs = list(own(spec, "allowedIPs")).map(short);
    if (allowedIPs.length === 0 || !allowedIPs.every(isCanonical)) unexpected.add("allowedIPs");
    const endpoint = readEndpoint(own(spec, "endpoint"));
    if (endpoint?.odd) unexpected.add("endpoint");
    const keepalive = own(spec, "persistentKeepalive") ?? 0;
    if (!isWhole(keepalive, 0, 65535)) unexpected.add("persistentKeepalive");
    const annotations = texts(own(metadata, "annotations"), (key) => key.startsWith(KEPT_PREFIX));
    const configured = annotations[CONFIGURED_ANNOTATION];
    const isAdopted = isAdoption(annotations, endpoint?.odd === false ? endpoint.value : undefined);
    if (!isAdopted) unexpected.add("annotations");
    const read: Mutable<PeerSpec> = { allowedIPs, publicKey };
    if (endpoint !== undefined) read.endpoint = endpoint.value;
    if (typeof keepalive === "number" && keepalive !== 0) read.persistentKeepalive = keepalive;
    const peer: Mutable<LivePeer> = {
        name: short(name),
        uid: short(own(metadata, "uid")),
        labels: texts(own(metadata, "labels"), (key) => key.startsWith(KEPT_PREFIX) || key === MANAGED_BY),
        annotations,
        spec: read,
        unexpected: [...unexpected].map(word).sort(),
    };
    if (configured !== undefined && isAdopted) peer.configured = configured;
    const finalizers = finalizersOf(metadata);
    if (finalizers !== undefined) peer.finalizers = finalizers;
    return peer;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The annotations that record an adopted endpoint. */
export function adoptionOf({ spec, configured }: Peer): Readonly<Record<string, string>> {
    if (configured === undefined || spec.endpoint === undefined) return {};
    return { [DISCOVERED_ANNOTATION]: endpointText(spec.endpoint), [CONFIGURED_ANNOTATION]: configured };
}

export function endpointText({ dnsOrIP, port }: PeerEndpoint): string {
    const host = dnsOrIP.ip ?? dnsOrIP.dns ?? "";
    return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Of an object that is being deleted. */
function finalizersOf(metadata: unknown): readonly string[] | undefined {
    const since = own(metadata, "deletionTimestamp");
    return typeof since === "string" && since !== "" ? list(own(metadata, "finalizers")).map(short) : undefined;
}

/** A field that we never write, with a value. A preshared key is named by this and its value goes no further. */
function isOdd(field: string, value: unknown): boolean {
    return !SPEC_FIELDS.has(field) && (value ?? "") !== "";
}

function isCanonical(text: string): boolean {
    return networkOf(text)?.text === text;
}

/** `odd`: it is not one that we would write. */
function readEndpoint(value: unknown): { readonly value: PeerEndpoint; readonly odd: boolean } | undefined {
    if (value === undefined || value === null) return undefined;
    const dns = short(own(own(value, "dnsOrIP"), "dns"));
    const ip = short(own(own(value, "dnsOrIP"), "ip"));
    const port = own(value, "port");
    const found: PeerEndpoint = {
        dnsOrIP: { ...(dns === "" ? {} : { dns }), ...(ip === "" ? {} : { ip }) },
        port: typeof port === "number" ? port : 0,
    };
    const parsed = parseEndpoint(endpointText(found))?.spec;
    const isSame = parsed?.dnsOrIP.ip === found.dnsOrIP.ip && parsed?.dnsOrIP.dns === found.dnsOrIP.dns;
    return { value: found, odd: parsed === undefined || !isSame };
}

/** Both annotations or neither, and the endpoint is the one that was adopted. */
function isAdoption(annotations: Readonly<Record<string, string>>, endpoint: PeerEndpoint | undefined): boolean {
    const discovered = annotations[DISCOVERED_ANNOTATION];
    const configured = annotations[CONFIGURED_ANNOTATION];
    if (discovered === undefined && configured === undefined) return true;
    if (configured === undefined || endpoint === undefined || discovered !== endpointText(endpoint)) return false;
    return configured === NO_ENDPOINT || parseEndpoint(configured)?.text === configured;
}

function texts(values: unknown, wanted: (key: string) => boolean): Readonly<Record<string, string>> {
    const kept: Record<string, string> = {};
    if (!isRecord(values)) return kept;
    for (const key of Object.keys(values).filter(wanted).slice(0, MOST_LABELS)) {
        const value = values[key];
        if (typeof value === "string") kept[key] = short(value);
    }
    return kept;
}

/** A copy when cut: a slice would keep the long original in memory. */
function short(value: unknown): string {
    if (typeof value !== "string") return "";
    return value.length <= LONGEST ? value : Buffer.from(value.slice(0, LONGEST)).toString();
}

function word(text: string): string {
    return text.slice(0, 40).replace(/[^\w-]/g, "?");
}
