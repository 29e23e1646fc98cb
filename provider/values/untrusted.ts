/** Reading of values that come from a cluster or a caller: any type, any size, any prototype. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
    return typeof value === "object" && value !== null;
}

/** An own property. Inherited ones are never data: a node may be called `constructor`. */
export function own(value: unknown, key: string): unknown {
    return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export type Reader = (key: string) => unknown;

/** As `own`, for many properties of one value. */
export function reader(value: unknown): Reader {
    return isRecord(value) ? (key) => (Object.hasOwn(value, key) ? value[key] : undefined) : () => undefined;
}

/** An integer in a range, both ends included. */
export function isWhole(value: unknown, least: number, most: number): value is number {
    return Number.isInteger(value) && least <= (value as number) && (value as number) <= most;
}

export function list(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : [];
}

/** A text that is set, cut to `limit`. What was cut ends in a character that no valid value has. */
export function text(value: unknown, limit: number): string | undefined {
    if (typeof value !== "string" || value === "") return undefined;
    return value.length > limit ? `${value.slice(0, limit)}…` : value;
}

/** What `read` makes of the value, or undefined where that throws: it may have getters, or be a proxy. */
export function guarded<V, T>(read: (value: V) => T, value: V): T | undefined {
    try {
        return read(value);
    } catch {
        return undefined;
    }
}
