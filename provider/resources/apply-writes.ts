import { DEFAULT_CONCURRENCY, forEachBounded } from "../kube/bounded";
import type { KubeClient } from "../kube/client";
import { KubeError } from "../kube/errors/kube-error";
import type { LivePeer } from "../kube/objects";
import { entryOf, type LedgerEntry } from "../state/ledger";
import { CLAIM_LABEL } from "../values/labels";
import { contention, type Tunnel } from "./contention";
import type { Reporter } from "./host";
import { newPeer, type Ownership, patchTo } from "./peer-object";
import { held, taken, type WantedPeer, type Write, type Writes } from "./writes";

/** The peers of the target, told apart. */
export interface Population {
    readonly own: readonly LivePeer[];
    readonly foreign: readonly LivePeer[];
}

export interface Applied {
    readonly ledger: ReadonlyMap<string, LedgerEntry>;
    /** One line per peer that could not be written, by name. */
    readonly failures: readonly string[];
}

/**
 * Runs the writes, withdrawals first, and keeps the ledger equal to what the cluster holds of ours after each of them.
 * One failed peer does not stop the rest, unless the rest would then share a key or network with it.
 */
export async function applyWrites(
    client: KubeClient,
    ownership: Ownership,
    { own, foreign }: Population,
    writes: Writes,
    reporter: Reporter,
): Promise<Applied> {
    const ledger = new Map(own.map((peer) => [peer.metadata.name, entryOf(peer)]));
    const failures = new Map<string, string>();
    const total = writes.withdraw.length + writes.grant.length;
    let done = 0;
    const stuck: LivePeer[] = [];
    let answering = true;
    // Planning left out what a foreign peer has, but one may have come since.
    const barred = contention(foreign.map(held), [...writes.withdraw, ...writes.grant].flatMap(takenBy));

    const run = async (write: Write): Promise<void> => {
        const name = nameOf(write);
        try {
            // A cluster that died half-way would cost a timeout for each of thousands of peers.
            if (!answering) throw new Error("not tried, the cluster had stopped answering");
            const holders = write.kind === "delete" ? undefined : barred.get(name);
            if (holders !== undefined) {
                throw new Error(
                    `not written: ${holders.join(", ")}, which is not ours, has got its key or one of its networks meanwhile`,
                );
            }
            await perform(client, ownership, write, ledger, reporter);
        } catch (error) {
            if (error instanceof KubeError && error.kind === "unreachable") answering = false;
            failures.set(name, `${name}: ${sayError(error)}`);
            if (write.kind !== "create") stuck.push(write.live);
        }
        done += 1;
        reporter.progress(`${thousands(done)}/${thousands(total)} peers`, done === total);
    };

    await forEachBounded(writes.withdraw, DEFAULT_CONCURRENCY, run);
    const blocked = contention(stuck.map(held), writes.grant.flatMap(takenBy));
    await forEachBounded(writes.grant, DEFAULT_CONCURRENCY, async (write) => {
        const name = nameOf(write);
        const blockers = blocked.get(name);
        if (blockers === undefined) return run(write);
        failures.set(
            name,
            `${name}: waits for ${blockers.join(", ")}, which still holds its key or one of its networks`,
        );
    });
    return { ledger, failures: [...failures].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text) };
}

async function perform(
    client: KubeClient,
    ownership: Ownership,
    write: Write,
    ledger: Map<string, LedgerEntry>,
    reporter: Reporter,
): Promise<void> {
    if (write.kind === "create") {
        ledger.set(write.wanted.name, entryOf(await createOrTakeBack(client, ownership, write.wanted)));
        return;
    }
    const { name, uid } = write.live.metadata;
    if (write.kind === "patch") {
        ledger.set(name, entryOf(await client.patchPeer(name, patchTo(ownership, write.wanted, uid))));
        return;
    }
    const outcome = await client.deletePeer(name, uid);
    ledger.delete(name);
    if (outcome === "not-ours") reporter.warn(`${name} was re-created by someone else and is left alone`);
    else if (write.kind === "replace") {
        ledger.set(name, entryOf(await createOrTakeBack(client, ownership, write.wanted)));
    }
}

/** A name that is taken may be taken by us: by a create whose answer was lost, or by a run that was interrupted. */
async function createOrTakeBack(client: KubeClient, ownership: Ownership, wanted: WantedPeer): Promise<LivePeer> {
    try {
        return await client.createPeer(newPeer(ownership, wanted));
    } catch (error) {
        if (!(error instanceof KubeError) || error.kind !== "already-exists") throw error;
        const holder = await client.getPeer(wanted.name);
        if (holder.metadata.labels?.[CLAIM_LABEL] !== ownership.claim) {
            throw new Error("the name is held by a peer that is not ours, which is left alone", { cause: error });
        }
        return client.patchPeer(wanted.name, patchTo(ownership, wanted, holder.metadata.uid));
    }
}

const takenBy = (write: Write): Tunnel[] => ("wanted" in write ? [taken(write.wanted)] : []);

const nameOf = (write: Write): string => ("wanted" in write ? write.wanted.name : write.live.metadata.name);

const sayError = (error: unknown): string =>
    error instanceof KubeError
        ? `${error.message} (${error.fix})`
        : error instanceof Error
          ? error.message
          : String(error);

export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
