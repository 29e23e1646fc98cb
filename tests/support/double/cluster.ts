import type { Account } from "./accounts";
import type { DoubleNode, NodeStore } from "./node-store";
import type { Pages } from "./pages";
import type { PeerStore, StoredPeer } from "./peer-store";
import type { WatchLog } from "./watch-log";

/** All that a cluster of the double holds. */
export interface Cluster {
    readonly accounts: ReadonlyMap<string, Account>;
    readonly nodes: NodeStore;
    readonly nodeLog: WatchLog<DoubleNode>;
    readonly peerLog: WatchLog<StoredPeer>;
    readonly secrets: Map<string, Readonly<Record<string, string>>>;
    readonly namespaces: Map<string, string>;
    readonly peers: PeerStore;
    readonly nodePages: Pages<DoubleNode>;
    readonly peerPages: Pages<StoredPeer>;
    version(): string;
    now: () => number | undefined;
    crd: boolean;
}
