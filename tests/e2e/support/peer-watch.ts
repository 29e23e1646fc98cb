import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { load } from "js-yaml";
import { Agent, request } from "undici";
import type { LocalCluster } from "../../../tools/clusters";
import { PeerInvariants, type WatchedEvent } from "../../support/peer-invariants";

export interface PeerWatch {
    /** Ends the watch; what it saw that must never be. */
    stop(): string[];
}

interface Kubeconfig {
    readonly users: readonly { readonly user: { readonly token: string } }[];
}

const isOurs = (peer: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }): boolean =>
    peer.metadata.labels?.["kilo-clustermesh.io/claim"] !== undefined;

/** Follows every write to the peers of a cluster, across restarts of its API server, and notes what must never be. */
export function watchPeers(cluster: LocalCluster): PeerWatch {
    const invariants = new PeerInvariants(isOurs);
    const stopped = new AbortController();
    const agent = new Agent({ connect: { ca: readFileSync(cluster.caFile) }, bodyTimeout: 0 });
    const { token } = (load(cluster.adminKubeconfig) as Kubeconfig).users[0]!.user;
    let version = "0";

    const follow = async (): Promise<void> => {
        const url = `${cluster.url}/apis/kilo.squat.ai/v1alpha1/peers?watch=true&resourceVersion=${version}&allowWatchBookmarks=true`;
        const { body } = await request(url, {
            dispatcher: agent,
            headers: { authorization: `Bearer ${token}` },
            signal: stopped.signal,
        });
        for await (const line of createInterface({ input: body })) {
            const event = JSON.parse(line) as { type: string; object: WatchedEvent["object"] & Versioned };
            if (event.type === "ERROR") {
                version = "0";
                return;
            }
            version = event.object.metadata.resourceVersion;
            if (event.type !== "BOOKMARK") invariants.apply(event as WatchedEvent);
        }
    };
    const loop = async (): Promise<void> => {
        while (!stopped.signal.aborted) {
            await follow().catch(() => undefined);
            await new Promise((resolve) => setTimeout(resolve, 200));
        }
        await agent.destroy();
    };
    void loop();
    return {
        stop() {
            stopped.abort();
            return invariants.violations.map((violation) => `${cluster.name}: ${violation}`);
        },
    };
}

interface Versioned {
    readonly metadata: { readonly resourceVersion: string };
}
