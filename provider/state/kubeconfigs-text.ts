import { deflateRawSync, inflateRawSync } from "node:zlib";
import { byText } from "../values/show";
import { UNKNOWN } from "../values/unknown";

/**
 * All kubeconfigs of a group as one compressed text: the engine encrypts each secret by itself, four times, and kubeconfigs have most
 * of their text in common.
 */
export function encodeKubeconfigs(kubeconfigs: Readonly<Record<string, string | undefined>>): string {
    const sorted = Object.entries(kubeconfigs)
        .filter(([, kubeconfig]) => kubeconfig !== undefined)
        .sort(([a], [b]) => byText(a, b));
    return deflateRawSync(JSON.stringify(Object.fromEntries(sorted)), { level: 9 }).toString("base64");
}

/** Each cluster of a group asks for its own out of the same texts: of the inputs and the outputs, before and after. */
const REMEMBERED = 4;
const decoded = new Map<string, Readonly<Record<string, string>>>();

/** By cluster. */
export function decodeKubeconfigs(value: unknown): Readonly<Record<string, string>> {
    if (typeof value !== "string" || value === UNKNOWN) return {};
    const known = decoded.get(value);
    if (known !== undefined) return known;
    const read = JSON.parse(inflateRawSync(Buffer.from(value, "base64")).toString("utf8")) as Record<string, string>;
    if (decoded.size === REMEMBERED) decoded.delete(decoded.keys().next().value!);
    decoded.set(value, read);
    return read;
}
