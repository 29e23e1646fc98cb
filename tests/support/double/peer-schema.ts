import type { Cause } from "./status";

type Schema =
    | { readonly type: "string" | "integer" }
    | { readonly type: "array"; readonly items: Schema }
    | {
          readonly type: "object";
          readonly properties: Readonly<Record<string, Schema>>;
          readonly required?: readonly string[];
      };

/** The schema of Kilo's CRD, as its manifest has it. */
const PEER: Schema = {
    type: "object",
    required: ["spec"],
    properties: {
        spec: {
            type: "object",
            required: ["allowedIPs", "publicKey"],
            properties: {
                allowedIPs: { type: "array", items: { type: "string" } },
                publicKey: { type: "string" },
                presharedKey: { type: "string" },
                persistentKeepalive: { type: "integer" },
                endpoint: {
                    type: "object",
                    required: ["dnsOrIP", "port"],
                    properties: {
                        dnsOrIP: {
                            type: "object",
                            properties: { dns: { type: "string" }, ip: { type: "string" } },
                        },
                        port: { type: "integer" },
                    },
                },
            },
        },
    },
};

export interface Checked {
    /** Without the fields that the schema does not know. */
    readonly value: unknown;
    readonly causes: readonly Cause[];
    readonly unknown: readonly string[];
}

export function checkPeer(body: Readonly<Record<string, unknown>>): Checked {
    const causes: Cause[] = [];
    const unknown: string[] = [];
    const { apiVersion, kind, metadata, ...rest } = body;
    const value = walk(PEER, rest, "", causes, unknown) as Record<string, unknown>;
    return { value: { apiVersion, kind, metadata, ...value }, causes, unknown };
}

function walk(schema: Schema, value: unknown, path: string, causes: Cause[], unknown: string[]): unknown {
    const actual = typeOf(value);
    if (actual !== schema.type) {
        const message = `Invalid value: "${actual}": ${path} in body must be of type ${schema.type}: "${actual}"`;
        causes.push({ reason: "FieldValueTypeInvalid", field: path, message });
        return value;
    }
    if (schema.type === "array") {
        return (value as unknown[]).map((item, at) => walk(schema.items, item, `${path}[${at}]`, causes, unknown));
    }
    if (schema.type !== "object") return value;
    const kept: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value as object)) {
        const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
        const at = path === "" ? key : `${path}.${key}`;
        if (property === undefined) unknown.push(at);
        // A null in a field that may not be null is dropped before validation.
        else if (item !== null) kept[key] = walk(property, item, at, causes, unknown);
    }
    for (const key of schema.required ?? []) {
        if (kept[key] !== undefined) continue;
        const field = path === "" ? key : `${path}.${key}`;
        causes.push({ reason: "FieldValueRequired", field, message: "Required value" });
    }
    return kept;
}

function typeOf(value: unknown): string {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
    return typeof value;
}
