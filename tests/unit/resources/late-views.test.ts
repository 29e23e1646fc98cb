import { type LivePeer, readPeer } from "../../../provider/kilo/peer";
import type { KubeClient } from "../../../provider/kube/client";
import { type Host, PartialFailure } from "../../../provider/resources/host";
import { peerSet } from "../../../provider/resources/peer-set";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { PeerInvariants } from "../../support/peer-invariants";
import { lineOf } from "../../support/peer-line";
import { inputs } from "../../support/peer-set-inputs";
import { reasonsIn } from "../../support/reasons";

/** Found by the single faults: what a run believes about a target may be older than the target. */

const line = (n: number, networks: string): string => `${key(n)} 192.0.2.${n}:51820 ${networks}`;

let hub: MemoryCluster;
let invariants: PeerInvariants;
let stale: LivePeer[] | undefined;
let host: Host;

beforeEach(() => {
    hub = new MemoryCluster("hub");
    stale = undefined;
    host = {
        ...memoryHost([hub]),
        connect: async (): Promise<KubeClient> => {
            const client = hub.client();
            return { ...client, listPeers: async (options) => stale ?? client.listPeers(options) };
        },
    };
});

/** From here on, no key and no network may be on two peers at any moment. */
function watch(): void {
    hub.onChange = (peers) => {
        invariants = new PeerInvariants();
        for (const { metadata, spec } of peers) {
            const { allowedIPs = [], publicKey = "" } = spec;
            invariants.apply({ type: "ADDED", object: { metadata, spec: { allowedIPs, publicKey } } });
        }
        expect(invariants.violations).toEqual([]);
    };
}

const lines = (): Record<string, string> =>
    Object.fromEntries([...hub.peers].map(([name, peer]) => [name, lineOf(peer)]));

describe("a list that is behind", () => {
    test("does not hide the peer whose network is about to be given to another", async () => {
        const { id, outs } = await peerSet.create(host, inputs({ a: line(1, "10.2.0.0/24") }));
        watch();
        stale = [];
        await peerSet.update(host, id, outs, inputs({ b: line(2, "10.2.0.0/24") }));
        expect(lines()).toEqual({ b: line(2, "10.2.0.0/24") });
    });

    test("does not have us believe that a peer still is as it was before our last write", async () => {
        const before = inputs({ a: line(1, "10.2.0.0/24") });
        const { id, outs } = await peerSet.create(host, before);
        const old = [...hub.peers.values()].map((peer) => readPeer(peer)!);
        const grown = await peerSet.update(host, id, outs, inputs({ a: line(1, "10.2.0.0/24,10.3.0.0/24") }));
        watch();
        stale = old;
        const moved = { a: line(1, "10.2.0.0/24"), b: line(2, "10.3.0.0/24") };
        await peerSet.update(host, id, grown.outs, inputs(moved));
        expect(lines()).toEqual(moved);
    });

    test("does not make a destroy forget a peer that exists", async () => {
        const { id, outs } = await peerSet.create(host, inputs({ a: line(1, "10.2.0.0/24") }));
        stale = [];
        await peerSet.delete(host, id, outs);
        expect(hub.peers.size).toBe(0);
    });

    test("does not make a refresh report drift that is none", async () => {
        const { id, outs } = await peerSet.create(host, inputs({ a: line(1, "10.2.0.0/24") }));
        stale = [];
        expect(await peerSet.read(host, id, outs)).toEqual({ id, props: outs });
    });
});

describe("a foreign peer that came after the plan was made", () => {
    const foreign = (n: number, network: string): void => {
        hub.put("somebody", {}, { publicKey: key(n), allowedIPs: [network] });
    };

    test.each([
        ["has the key", 2, "10.250.0.0/24"],
        ["has a network", 9, "10.2.1.0/24"],
        ["encloses a network", 9, "10.2.0.0/16"],
    ])("and %s of a peer keeps that one from being written, and only that one", async (_, n, network) => {
        foreign(n, network);
        watch();
        const wanted = inputs({ a: line(1, "10.3.0.0/24"), b: line(2, "10.2.1.0/24") });
        const failure = await peerSet.create(host, wanted).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(PartialFailure);
        expect(reasonsIn(failure)).toEqual([
            "b: not written: somebody, which is not ours, has its key or one of its networks by now",
            "1 of 2 changes in hub failed; what was done is recorded. Run `pulumi up` again to go on.",
        ]);
        expect(Object.keys(lines())).toEqual(["somebody", "a"]);
    });

    test("stops a change that would grow into it, and leaves both as they are", async () => {
        const { id, outs } = await peerSet.create(host, inputs({ a: line(1, "10.2.0.0/24") }));
        foreign(9, "10.3.0.0/24");
        watch();
        const grown = inputs({ a: line(1, "10.2.0.0/24,10.3.0.0/24") });
        await expect(peerSet.update(host, id, outs, grown)).rejects.toThrow("1 of 1 changes in hub failed");
        expect(lines().a).toBe(line(1, "10.2.0.0/24"));
    });
});
