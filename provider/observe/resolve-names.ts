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

export interface ResolvedNames {
    /** Names that certainly do not exist, sorted. */
    readonly unresolvable: readonly string[];
    /** One address of each name that has any: IPv4 before IPv6, and of several the first by text, in whatever order a server deals them out. */
    readonly addresses: Readonly<Record<string, string>>;
}

/**
 * Looks names up. One that does not exist makes Kilo skip its whole configuration, and Kilo chooses leaders by what a
 * name resolves to (docs/kilo.md: unresolvable names freeze Kilo). A timeout or a failing server proves nothing, so those names are in neither result.
 * The answer comes within the timeout.
 */
export async function resolveNames(
    names: readonly string[],
    { timeoutSeconds, resolver = new Resolver({ timeout: 2_000, tries: 2 }) }: ResolveOptions,
): Promise<ResolvedNames> {
    const distinct = [...new Set(names)].sort().slice(0, MAX_NAMES);
    const unresolvable: string[] = [];
    const addresses: [string, string][] = [];
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
        if (late) return;
        const found = await lookUp(name, resolver);
        if (late) return;
        if (found.address !== undefined) addresses.push([name, found.address]);
        else if (found.isMissing) unresolvable.push(name);
    });
    if (distinct.length > 0) await Promise.race([lookups, timeout]);
    clearTimeout(timer);
    return { unresolvable: unresolvable.sort(), addresses: Object.fromEntries(addresses.sort(byName)) };
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

/** Missing means: neither an A nor an AAAA record, and both answers definite. */
async function lookUp(
    name: string,
    resolver: NameResolver,
): Promise<{ readonly address: string | undefined; readonly isMissing: boolean }> {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const [address] = answers.flatMap((answer) => (answer.status === "fulfilled" ? [...answer.value].sort() : []));
    const isMissing = answers.every(
        (answer) =>
            (answer.status === "fulfilled" && answer.value.length === 0) ||
            (answer.status === "rejected" && DOES_NOT_EXIST.has(String((answer.reason as { code?: unknown })?.code))),
    );
    return { address, isMissing };
}
