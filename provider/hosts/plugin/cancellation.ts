import type { KubeClient } from "../../kube/client";
import type { Host } from "../../resources/host";

const CANCELLED = "not tried, the run was cancelled";

/**
 * After a cancel nothing new is begun: what is under way ends, the rest fails at once, and the ledger of what was done
 * reaches the state. A peer that was deleted to be created again is still created: it would be lost otherwise.
 */
export class Cancellation {
    #isCancelled = false;

    cancel(): void {
        this.#isCancelled = true;
    }

    /** The same host, whose writes end with a cancel. */
    guard(host: Host): Host {
        return {
            ...host,
            connect: async (access, seconds) => {
                this.#refuse();
                return this.#guardWrites(await host.connect(access, seconds));
            },
        };
    }

    #refuse(): void {
        if (this.#isCancelled) throw new Error(CANCELLED);
    }

    #guardWrites(client: KubeClient): KubeClient {
        const deleted = new Set<string>();
        return {
            ...client,
            createPeer: async (peer) => {
                if (!deleted.has(peer.name)) this.#refuse();
                return client.createPeer(peer);
            },
            patchPeer: async (name, patch) => {
                this.#refuse();
                return client.patchPeer(name, patch);
            },
            deletePeer: async (name, uid) => {
                this.#refuse();
                const outcome = await client.deletePeer(name, uid);
                deleted.add(name);
                return outcome;
            },
        };
    }
}
