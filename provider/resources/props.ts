import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../values/unknown";
import { isRecord } from "../values/untrusted";
import type { Props } from "./host";

/** The inputs a resource echoes into its outputs, without the absent ones (the engine cannot carry `undefined`). */
export function pick(props: Props, keys: readonly string[]): Props {
    const picked: Props = {};
    for (const key of keys) if (props[key] !== undefined && props[key] !== null) picked[key] = props[key];
    return picked;
}

export function sameOn(keys: readonly string[], olds: Props, news: Props): boolean {
    return isDeepStrictEqual(pick(olds, keys), pick(news, keys));
}

/** What is not known, even in an update (docs/pulumi.md: unknown values), stays what was recorded. */
export function knownOr(olds: Props, news: Props): Props {
    return Object.fromEntries(
        Object.entries(news).flatMap(([key, value]) => {
            const known = isUnknown(value) ? olds[key] : value;
            return known === undefined ? [] : [[key, known]];
        }),
    );
}

/** Keeps the string values of a bag: what the engine hands back is our own writing, but not necessarily this version's. */
export function textMap(value: unknown): Record<string, string> {
    if (!isRecord(value)) return {};
    return Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
}

export const optionalText = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
