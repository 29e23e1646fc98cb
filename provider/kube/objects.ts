import type { KubeNode } from "../kilo/types";
import { IGNORE_ANNOTATION } from "../values/labels";

const KILO_PREFIX = "kilo.squat.ai/";
const REGION = "topology.kubernetes.io/region";
const OBSERVATIONS = "kilo.squat.ai/discovered-endpoints";

/** Longest value kept; anything longer is wrong anyway and stays recognisably wrong when cut. */
const MAX_VALUE = 1024;
/** The API server's own bound on all annotations of an object. */
const MAX_OBSERVATIONS = 256 << 10;
/** Observations are optional hints: beyond this much per cluster they are left out rather than held in memory. */
const MAX_ALL_OBSERVATIONS = 32 << 20;
const MAX_ADDRESSES = 64;

/** Reduces the nodes of one list; remembers how much it kept. Without `keepLabels` all labels are kept. */
export function nodeReducer(keepLabels?: readonly string[]): (item: unknown) => KubeNode {
    const labels = keepLabels && new Set([REGION, ...keepLabels]);
    let observed = 0;
    return (item) => {
        const { metadata, spec, status } = record(item);
        const { annotations, labels: all, name, uid } = record(metadata);
        const { podCIDR, podCIDRs } = record(spec);
        const kept = pick(annotations, isKeptOfNode) ?? {};
        const seen = record(annotations)[OBSERVATIONS];
        if (
            typeof seen === "string" &&
            seen.length <= MAX_OBSERVATIONS &&
            observed + seen.length <= MAX_ALL_OBSERVATIONS
        ) {
            observed += seen.length;
            kept[OBSERVATIONS] = seen;
        }
        return {
            metadata: {
                name: short(name),
                ...(typeof uid === "string" && uid !== "" ? { uid: short(uid) } : {}),
                annotations: kept,
                ...optional(
                    "labels",
                    pick(all, (key) => labels?.has(key) ?? true),
                ),
            },
            spec: {
                ...(typeof podCIDR === "string" ? { podCIDR: short(podCIDR) } : {}),
                ...(Array.isArray(podCIDRs) ? { podCIDRs: strings(podCIDRs).slice(0, MAX_ADDRESSES).map(short) } : {}),
            },
            status: { addresses: addresses(record(status).addresses) },
        };
    };
}

const isKeptOfNode = (key: string): boolean =>
    (key.startsWith(KILO_PREFIX) && key !== OBSERVATIONS) || key === IGNORE_ANNOTATION;

function addresses(value: unknown): { type: string; address: string }[] {
    if (!Array.isArray(value)) return [];
    return value.slice(0, MAX_ADDRESSES).flatMap((each) => {
        const { type, address } = record(each);
        return typeof type === "string" && typeof address === "string"
            ? [{ type: short(type), address: short(address) }]
            : [];
    });
}

function pick(values: unknown, wanted: (key: string) => boolean): Record<string, string> | undefined {
    const kept: Record<string, string> = {};
    let any = false;
    for (const [key, value] of Object.entries(record(values))) {
        if (!wanted(key) || typeof value !== "string") continue;
        kept[key] = short(value);
        any = true;
    }
    return any ? kept : undefined;
}

/** A copy when cut: a slice would keep the long original in memory. */
function short(value: unknown): string {
    if (typeof value !== "string") return "";
    return value.length <= MAX_VALUE ? value : Buffer.from(value.slice(0, MAX_VALUE)).toString();
}

const record = (value: unknown): Record<string, unknown> =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const strings = (values: readonly unknown[]): string[] => values.filter((each) => typeof each === "string");

const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
    value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
