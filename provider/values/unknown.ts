import { isRecord } from "./untrusted";

/** Stands in for any value that is not known yet (docs/pulumi.md: unknown values). */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Not known, or with a part that is not. */
export function isUnknown(value: unknown): boolean {
    if (value === UNKNOWN) return true;
    return isRecord(value) && Object.values(value).some(isUnknown);
}
