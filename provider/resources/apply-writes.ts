import type { LivePeer, WantedPeer } from "../kilo/peer";
import { concurrencyFor, forEachBounded } from "../kube/bounded";
import type { KubeClient } from "../kube/client";
import { failureState, KubeError } from "../kube/errors/kube-error";
import { entryOf, type LedgerEntry } from "../state/ledger";
import { CLAIM_LABEL } from "../values/labels";
import { contention, type Tunnel } from "./contention";
import type { Reporter } from "./host";
import { type Marks, newPeer, patchTo } from "./peer-object";
import { gained, held, taken, type Write, type Writes } from "./writes";

/** The peers of the target, told apart. */
export interface Population {
    readonly own: readonly LivePeer[];
    readonly foreign: readonly LivePeer[];
}

export interface Applied {
    readonly ledger: Map<string, LedgerEntry>;
    /** One line per peer that could not be written, by name. */
    readonly failures: Map<string, string>;
    /** What this run made. */
    readonly created: readonly LivePeer[];
}

/**
 * Runs the writes, withdrawals first, and keeps the ledger equal to what the cluster holds of ours after each of them.
 * One failed peer does not stop the rest, unless the rest would then share a key or network with it.
 */
export async function applyWrites(
    client: KubeClient,
    marks: Marks,
    { own, foreign }: Population,
    { withdraw, grant, terminating }: Writes,
    reporter: Reporter,
): Promise<Applied> {
    const ledger = new Map(own.map((peer) => [peer.name, entryOf(peer)]));
    const failures = new Map<string, string>(
        terminating.map((peer) => [peer.name, stillThere(peer.name, peer.finalizers)]),
    );
    const stuck: LivePeer[] = [...terminating];
    /** Deleted for a successor that is not there yet. */
    const gone = new Set<string>();
    const total = withdraw.length + grant.length;
    let done = 0;
    let ended = 0;
    let isAnswering = true;
    // Planning left out what a foreign peer has, but one may have come since. What only gives something up is never barred.
    const barred = contention(foreign.map(held), [...withdraw, ...grant].flatMap(gainedBy));
    const performer = { client, marks, ledger, reporter, dryRuns: { warned: false }, created: [] as LivePeer[] };

    const attempt = async (write: Write): Promise<void> => {
        const name = nameOf(write);
        try {
            // A cluster that died half-way would cost a timeout for each of thousands of peers.
            if (!isAnswering) throw new Error("not tried, the cluster had stopped answering");
            const holders = barred.get(name);
            if (holders !== undefined) {
                throw new Error(
                    `not written: ${holders.join(", ")}, which is not ours, has its key or one of its networks by now`,
                );
            }
            const left = await perform(performer, write);
            if (left !== undefined) {
                stuck.push(left);
                throw new Error(stillThere(name, left.finalizers).slice(name.length + 2));
            }
            done += 1;
            if (write.kind === "delete" && write.successor !== undefined) gone.add(name);
        } catch (error) {
            if (error instanceof KubeError && failureState(error) === "silent") isAnswering = false;
            const lost = gone.has(name) ? `${IT_IS_GONE} ` : "";
            failures.set(name, `${name}: ${lost}${sayError(error)}`);
            if (write.kind !== "create" && !stuck.includes(write.live) && ledger.has(name)) stuck.push(write.live);
        }
        ended += 1;
        const failed = failures.size === 0 ? "" : `, ${thousands(failures.size)} failed`;
        reporter.progress(`${thousands(done)}/${thousands(total)} peers${failed}`, ended === total);
    };

    await forEachBounded(withdraw, concurrencyFor(withdraw.length), attempt);
    const blocked = contention(stuck.map(held), grant.flatMap(gainedBy));
    await forEachBounded(grant, concurrencyFor(grant.length), async (write) => {
        const name = nameOf(write);
        const blockers = blocked.get(name) ?? [];
        // its own predecessor could not be withdrawn, and that says why
        if (failures.has(name)) return;
        if (blockers.length === 0) return attempt(write);
        const lost = gone.has(name) ? "it was deleted and " : "";
        failures.set(
            name,
            `${name}: ${lost}waits for ${blockers.join(", ")}, which still holds its key or one of its networks`,
        );
    });
    return { ledger, failures, created: performer.created };
}

interface Performer {
    readonly client: KubeClient;
    readonly marks: Marks;
    readonly ledger: Map<string, LedgerEntry>;
    readonly reporter: Reporter;
    readonly dryRuns: { warned: boolean };
    readonly created: LivePeer[];
}

/** Returns the peer that should be gone and is still there. */
async function perform(performer: Performer, write: Write): Promise<LivePeer | undefined> {
    const { client, marks, ledger, reporter } = performer;
    if (write.kind === "create") {
        await create(performer, write.wanted);
        return undefined;
    }
    const { name, uid } = write.live;
    if (write.kind === "patch") {
        ledger.set(name, entryOf(await client.patchPeer(name, patchTo(marks, write.wanted, uid))));
        return undefined;
    }
    const successor = write.kind === "replace" ? write.wanted : write.successor;
    if (successor !== undefined) await tryOut(performer, successor);
    const outcome = await client.deletePeer(name, uid);
    if (typeof outcome === "object") return { ...write.live, finalizers: outcome.terminating };
    ledger.delete(name);
    if (outcome === "not-ours") {
        reporter.warn(`${name} was re-created by someone else and is left alone`);
    } else if (write.kind === "replace") {
        try {
            await create(performer, write.wanted);
        } catch (error) {
            throw new Error(`${IT_IS_GONE} ${sayError(error)}`, { cause: error });
        }
    }
    return undefined;
}

/**
 * A delete passes where the create after it is refused: webhooks are not asked about deletes (docs/kilo.md: the webhook
 * does not see deletes). So the new object is tried first, and what is refused costs nothing.
 */
async function tryOut({ client, marks, dryRuns, reporter }: Performer, wanted: WantedPeer): Promise<void> {
    try {
        if ((await client.dryRunPeer(newPeer(marks, wanted))) === "accepted" || dryRuns.warned) return;
    } catch (error) {
        throw new Error(`the new one would be refused, so the old one stays: ${sayError(error)}`, { cause: error });
    }
    dryRuns.warned = true;
    reporter.warn("a webhook there does not support dry runs: peers are replaced without being tried first");
}

async function create({ client, marks, ledger, created }: Performer, wanted: WantedPeer): Promise<void> {
    const live = await createOrTakeBack(client, marks, wanted);
    ledger.set(wanted.name, entryOf(live));
    created.push(live);
}

/** A name that is taken may be taken by us: by a create whose answer was lost, or by a run that was interrupted. */
async function createOrTakeBack(client: KubeClient, marks: Marks, wanted: WantedPeer): Promise<LivePeer> {
    try {
        return await client.createPeer(newPeer(marks, wanted));
    } catch (error) {
        if (!(error instanceof KubeError) || error.kind !== "already-exists") throw error;
        const holder = await client.getPeer(wanted.name);
        if (holder.labels[CLAIM_LABEL] !== marks.claim) {
            throw new Error("the name is held by a peer that is not ours, which is left alone", { cause: error });
        }
        if (holder.finalizers !== undefined) throw new Error(heldText(holder.finalizers), { cause: error });
        return client.patchPeer(wanted.name, patchTo(marks, wanted, holder.uid));
    }
}

const IT_IS_GONE = "it was deleted, and creating it again failed: it is gone.";

export const heldText = (finalizers: readonly string[] = []): string =>
    `it is being deleted but still there, held by ${finalizers.join(", ") || "its finalizers"}: find out who should remove these`;

const stillThere = (name: string, finalizers: readonly string[] | undefined): string =>
    `${name}: ${heldText(finalizers)}`;

const gainedBy = (write: Write): Tunnel[] => {
    if (write.kind === "delete") return [];
    return [write.kind === "create" ? taken(write.wanted) : gained(write)];
};

const nameOf = (write: Write): string => ("wanted" in write ? write.wanted.name : write.live.name);

export const sayError = (error: unknown): string =>
    error instanceof KubeError
        ? `${error.message}. ${error.fix}`
        : error instanceof Error
          ? error.message
          : String(error);

export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
