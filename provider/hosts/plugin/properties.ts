import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Props } from "../../resources/host";
import { OUTPUT, SECRET, SIGNATURE } from "../../values/engine-marks";
import { UNKNOWN } from "../../values/unknown";
import { isRecord } from "../../values/untrusted";

/** What the call itself tells here, and inputs tell the dynamic host. */
const TOLD_BY_CALL = ["__provider", "resource", "resourceUrn"] as const;

/** Secret wherever they come from. */
const ALWAYS_SECRET: ReadonlySet<string> = new Set(["kubeconfig", "kubeconfigs", "former"]);

export interface Entered {
    readonly props: Props;
    /** Names of the properties that are secret, or hold one. */
    readonly secrets: ReadonlySet<string>;
    /** What the dynamic host had recorded there and we do not use. */
    readonly carried: Props;
}

/** The entrance: plain values, as resources know them on every host. */
export function enter(struct: Struct | undefined, resource: string, urn: string): Entered {
    const given: Props = struct?.toJavaScript() ?? {};
    const secrets = new Set<string>();
    const props: Props = {};
    for (const [key, value] of Object.entries(given)) props[key] = opened(value, () => secrets.add(key));
    const carried: Props = {};
    for (const key of TOLD_BY_CALL) {
        if (props[key] !== undefined) carried[key] = props[key];
        delete props[key];
    }
    return { props: { ...props, resource, resourceUrn: urn }, secrets, carried };
}

function opened(value: unknown, onSecret: () => void): unknown {
    if (Array.isArray(value)) return value.map((item) => opened(item, onSecret));
    if (!isRecord(value)) return value;
    if (value[SIGNATURE] === SECRET || (value.secret === true && value[SIGNATURE] === OUTPUT)) onSecret();
    if (value[SIGNATURE] === SECRET) return opened(value.value, onSecret);
    if (value[SIGNATURE] === OUTPUT) return value.value === undefined ? UNKNOWN : opened(value.value, onSecret);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, opened(item, onSecret)]));
}

/**
 * The exit: nobody but us says here what is secret (docs/pulumi.md: plugin protocol), so a kubeconfig, and
 * whatever came in as a secret, leaves as one.
 */
export function leave(props: Props, secrets: ReadonlySet<string>, carried: Props = {}): Struct {
    const told: Props = { ...carried };
    for (const [key, value] of Object.entries(props)) {
        if (value === undefined || (TOLD_BY_CALL as readonly string[]).includes(key)) continue;
        const isSecret = (ALWAYS_SECRET.has(key) || secrets.has(key)) && value !== UNKNOWN && value !== null;
        told[key] = isSecret ? { [SIGNATURE]: SECRET, value } : value;
    }
    return Struct.fromJavaScript(told as Parameters<typeof Struct.fromJavaScript>[0]);
}
