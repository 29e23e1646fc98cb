import { Resolver } from "node:dns/promises";
import { forEachBounded } from "../kube/bounded";

/** What is used of `dns.promises.Resolver`. */
export type NameResolver = Pick<Resolver, "resolve4" | "resolve6" | "cancel">;

export interface ResolveOptions {
    /** For all names together. */
    readonly timeoutSeconds: number;
    readonly resolver?: NameResolver;
}

const CONCURRENCY = 16;
/** A hostile member can name as many as it has nodes. Beyond this they are taken as existing. */
const MAX_NAMES = 2_000;
const DOES_NOT_EXIST = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN"]);

/**
 * Which names certainly do not exist. One such name in a Peer makes Kilo skip its whole configuration (docs/kilo.md:
 * unresolvable names freeze Kilo). A timeout or a failing server proves nothing, so those names pass. The answer comes
 * within the timeout.
 */
export async function resolveNames(
    names: readonly string[],
    { timeoutSeconds, resolver = new Resolver({ timeout: 2_000, tries: 2 }) }: ResolveOptions,
): Promise<{ readonly unresolvable: readonly string[] }> {
    const distinct = [...new Set(names)].sort().slice(0, MAX_NAMES);
    const unresolvable: string[] = [];
    let late = false;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
            late = true;
            resolver.cancel();
            resolve();
        }, timeoutSeconds * 1000);
    });
    const lookups = forEachBounded(distinct, CONCURRENCY, async (name) => {
        if (late || !(await isMissing(name, resolver)) || late) return;
        unresolvable.push(name);
    });
    if (distinct.length > 0) await Promise.race([lookups, timeout]);
    clearTimeout(timer);
    return { unresolvable: unresolvable.sort() };
}

/** Missing means: neither an A nor an AAAA record, and both answers definite. */
async function isMissing(name: string, resolver: NameResolver): Promise<boolean> {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.every(
        (answer) =>
            (answer.status === "fulfilled" && answer.value.length === 0) ||
            (answer.status === "rejected" && DOES_NOT_EXIST.has(String((answer.reason as { code?: unknown })?.code))),
    );
}
