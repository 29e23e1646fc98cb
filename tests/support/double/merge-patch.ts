const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces. Nothing is changed in place. */
export function mergePatch(target: unknown, patch: unknown): unknown {
    if (!isObject(patch)) return patch;
    const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
    for (const [key, value] of Object.entries(patch)) {
        if (value === null) delete merged[key];
        else merged[key] = mergePatch(merged[key], value);
    }
    return merged;
}
