import { isDeepStrictEqual } from "node:util";
import { type Props, UNKNOWN } from "./host";

/** The inputs a resource echoes into its outputs, without the absent ones (the engine cannot carry `undefined`). */
export function pick(props: Props, keys: readonly string[]): Props {
    const picked: Props = {};
    for (const key of keys) if (props[key] !== undefined && props[key] !== null) picked[key] = props[key];
    return picked;
}

export function sameOn(keys: readonly string[], olds: Props, news: Props): boolean {
    return isDeepStrictEqual(pick(olds, keys), pick(news, keys));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);

export function isUnknown(value: unknown): boolean {
    if (value === UNKNOWN) return true;
    return isRecord(value) && Object.values(value).some(isUnknown);
}

/** Keeps the string values of a bag: what the engine hands back is our own writing, but not necessarily this version's. */
export function textMap(value: unknown): Record<string, string> {
    if (!isRecord(value)) return {};
    return Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
}
