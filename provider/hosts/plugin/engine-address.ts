/** Flags that the engine may pass before its address, and whether a value follows. */
const FLAGS: Readonly<Record<string, boolean>> = { "--logtostderr": false, "--tracing": true };

/** The engine's address among the arguments of a plugin. */
export function engineAddress([first, ...rest]: readonly string[]): string | undefined {
    if (first === undefined) return undefined;
    if (first.startsWith("-v=")) return engineAddress(rest);
    const takesValue = FLAGS[first];
    if (takesValue === undefined) return first;
    return engineAddress(takesValue ? rest.slice(1) : rest);
}
