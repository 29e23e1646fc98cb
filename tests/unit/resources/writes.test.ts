import { type LivePeer, readPeer, type WantedPeer } from "../../../provider/kilo/peer";
import type { KubeClient } from "../../../provider/kube/client";
import type { DryRunOutcome } from "../../../provider/kube/peer-calls";
import type { Host, PartialFailure } from "../../../provider/resources/host";
import { peerSet } from "../../../provider/resources/peer-set";
import { planWrites, type Write } from "../../../provider/resources/writes";
import { decodePeer } from "../../../provider/state/peer-text";
import { key } from "../../support/keys";
import type { MemoryCluster, StoredPeer, TestHost } from "../../support/memory-cluster";
import { lineOf } from "../../support/peer-line";
import { inputs } from "../../support/peer-set-inputs";
import { reasonsIn } from "../../support/reasons";
import { line, ours, world } from "./peer-set-world";

const labels = { ...ours, "kilo-clustermesh.io/source-cluster": "spoke", "app.kubernetes.io/managed-by": "pulumi" };
const ROAMING = "keepalive=25 ";
const reasonsOf = async (run: Promise<unknown>): Promise<readonly string[]> => {
    const failure = await run.catch((error: unknown) => error);
    return reasonsIn(failure);
};
const hold = (hub: MemoryCluster, name: string, ...finalizers: readonly string[]): void => {
    const peer = hub.peers.get(name) as StoredPeer;
    hub.peers.set(name, { ...peer, metadata: { ...peer.metadata, finalizers } });
};

describe("the order of writes", () => {
    const live = (name: string, text: string, more: object = {}): LivePeer => {
        const { spec } = decodePeer(text);
        return readPeer({ metadata: { name, uid: `uid-${name}`, labels, ...more }, spec })!;
    };
    const wanted = (name: string, text: string): WantedPeer => ({ name, source: "spoke", peer: decodePeer(text) });
    const steps = (writes: readonly Write[]): string[] =>
        writes.map((write) => `${write.kind} ${"wanted" in write ? write.wanted.name : write.live.name}`);
    const planned = (own: readonly LivePeer[], foreign: readonly LivePeer[], want: readonly WantedPeer[]) => {
        const { withdraw, grant } = planWrites({ own, foreign, wanted: want, labelsOf: () => labels });
        return { withdraw: steps(withdraw), grant: steps(grant) };
    };

    test("creates of peers without endpoint come last: while they are idle they hide changes to others", () => {
        const own = [live("x", line(9))];
        const want = [
            wanted("a", line(1, "no-endpoint", undefined, ROAMING)),
            wanted("b", line(2)),
            wanted("c", line(3, "no-endpoint", undefined, ROAMING)),
            wanted("d", line(4)),
            wanted("x", line(9, undefined, "10.2.9.0/24,10.96.0.0/16")),
        ];
        expect(planned(own, [], want)).toEqual({
            withdraw: ["patch x"],
            grant: ["create b", "create d", "create a", "create c"],
        });
    });

    test("a network that moves is withdrawn before it is granted", () => {
        const own = [live("a", line(1, undefined, "10.2.1.0/24,10.96.0.0/16")), live("b", line(2))];
        const want = [wanted("a", line(1)), wanted("b", line(2, undefined, "10.2.2.0/24,10.96.0.0/16"))];
        expect(planned(own, [], want)).toEqual({ withdraw: ["patch a"], grant: ["patch b"] });
    });

    test("a change that Kilo would ignore is a replacement, unless a stranger wants what the peer has", () => {
        const own = [live("a", line(1, undefined, undefined, ROAMING))];
        const want = [wanted("a", line(1, "192.0.2.50:51820", undefined, ROAMING))];
        const stranger = (text: string) => [live("x", text, { labels: {} })];
        expect(planned(own, [], want).withdraw).toEqual(["replace a"]);
        expect(planned(own, stranger(line(9)), want).withdraw).toEqual(["replace a"]);
        expect(planned(own, stranger(line(1, undefined, "10.9.0.0/24")), want).withdraw).toEqual(["patch a"]);
        expect(planned(own, stranger(line(9, undefined, "10.2.0.0/16")), want).withdraw).toEqual(["patch a"]);
    });

    test("two that exchange networks while a stranger wants one of theirs are patched in two steps, and never gone", () => {
        const own = [
            live("a", line(1, undefined, "10.2.1.0/24,10.96.0.0/16")),
            live("b", line(2, undefined, "10.2.2.0/24,10.97.0.0/16")),
        ];
        const want = [
            wanted("a", line(1, undefined, "10.2.1.0/24,10.97.0.0/16")),
            wanted("b", line(2, undefined, "10.2.2.0/24,10.96.0.0/16")),
        ];
        const stranger = live("x", line(9, undefined, "10.2.1.0/25"), { labels: {} });
        expect(planned(own, [], want)).toEqual({
            withdraw: ["delete a", "delete b"],
            grant: ["create a", "create b"],
        });
        expect(planned(own, [stranger], want)).toEqual({
            withdraw: ["patch a", "delete b"],
            grant: ["patch a", "create b"],
        });
    });

    test("labels alone are patched, however Kilo takes changes", () => {
        const own = [live("a", line(1, "no-endpoint", undefined, ROAMING), { labels: {} })];
        expect(planned(own, [], [wanted("a", line(1, "no-endpoint", undefined, ROAMING))])).toEqual({
            withdraw: ["patch a"],
            grant: [],
        });
    });

    test("an object that is being deleted is not written to, and its successor waits", () => {
        const terminating = live("a", line(1), { deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: ["f"] });
        const writes = planWrites({
            own: [terminating],
            foreign: [],
            wanted: [wanted("a", line(1))],
            labelsOf: () => labels,
        });
        expect(steps(writes.withdraw)).toEqual([]);
        expect(steps(writes.grant)).toEqual(["create a"]);
        expect(writes.terminating).toEqual([terminating]);
    });
});

describe("before a peer is deleted for its successor", () => {
    const moved = inputs({ a: line(1, "192.0.2.50:51820", undefined, ROAMING) });

    test("the new one is tried, and where it would be refused the old one stays", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, undefined, ROAMING) });
        hub.fault = (verb) => (verb === "dry-run" ? { kind: "invalid" } : undefined);
        const before = hub.peers.get("a");
        expect(await reasonsOf(peerSet.update(host, id, outs, moved))).toEqual([
            "a: the new one would be refused, so the old one stays: cluster hub: invalid. Fix it",
            "1 of 1 changes in hub failed; what was done is recorded. Run `pulumi up` again to go on.",
        ]);
        expect(hub.peers.get("a")).toBe(before);
        expect(hub.writes).toEqual(["dry-run a"]);
    });

    test("so too where two peers exchange networks: neither is deleted for a successor that is refused", async () => {
        const { hub, host, id, outs } = await world({
            a: line(1, undefined, "10.2.1.0/24,10.96.0.0/16"),
            b: line(2, undefined, "10.2.2.0/24,10.97.0.0/16"),
        });
        hub.fault = (verb) => (verb === "dry-run" ? { kind: "invalid" } : undefined);
        const swapped = inputs({
            a: line(1, undefined, "10.2.1.0/24,10.97.0.0/16"),
            b: line(2, undefined, "10.2.2.0/24,10.96.0.0/16"),
        });
        await reasonsOf(peerSet.update(host, id, outs, swapped));
        expect(hub.peers.size).toBe(2);
    });

    test("a webhook that does not support dry runs is told once, and the replacement goes on", async () => {
        const { hub, host, id, outs } = await world({
            a: line(1, undefined, undefined, ROAMING),
            b: line(2, undefined, undefined, ROAMING),
        });
        const next = inputs({
            a: line(1, "192.0.2.50:51820", undefined, ROAMING),
            b: line(2, "192.0.2.51:51820", undefined, ROAMING),
        });
        await peerSet.update(withoutDryRuns(host, hub), id, outs, next);
        expect(host.warnings).toEqual([
            "a webhook there does not support dry runs: peers are replaced without being tried first",
        ]);
        expect(lineOf(hub.peers.get("a"))).toBe(line(1, "192.0.2.50:51820", undefined, ROAMING));
    });

    test("one that is gone because the create failed after all is told so", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, undefined, ROAMING) });
        hub.fault = (verb) => (verb === "create" ? { kind: "invalid" } : undefined);
        expect((await reasonsOf(peerSet.update(host, id, outs, moved)))[0]).toBe(
            "a: it was deleted, and creating it again failed: it is gone. cluster hub: invalid. Fix it",
        );
        expect(hub.peers.size).toBe(0);
    });

    test("so too where its predecessor was withdrawn first", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hub.fault = (verb, name) => (verb === "create" && name === "a" ? { kind: "invalid" } : undefined);
        const swapped = inputs({ a: line(2, undefined, "10.2.1.0/24"), b: line(1, undefined, "10.2.2.0/24") });
        expect((await reasonsOf(peerSet.update(host, id, outs, swapped)))[0]).toBe(
            "a: it was deleted, and creating it again failed: it is gone. cluster hub: invalid. Fix it",
        );
    });
});

describe("a peer that a finalizer holds", () => {
    test("stays in the ledger, and the failure says who holds it", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hold(hub, "b", "example.com/hold");
        const failure = (await peerSet
            .update(host, id, outs, inputs({ a: line(1) }))
            .catch((error: unknown) => error)) as PartialFailure;
        expect(reasonsIn(failure)[0]).toBe(
            "b: it is being deleted but still there, held by example.com/hold: find out who should remove these",
        );
        expect(failure.properties.ledger).toContain("b ");
        expect(peerSet.diff(failure.properties, inputs({ a: line(1) }))).toEqual({ changes: true });
    });

    test("keeps its key and its networks from others until it is gone", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hold(hub, "b", "example.com/hold");
        const next = inputs({ a: line(1), c: line(3, undefined, "10.2.2.0/24") });
        expect(await reasonsOf(peerSet.update(host, id, outs, next))).toEqual([
            expect.stringMatching(/^b: it is being deleted but still there/),
            "c: waits for b, which still holds its key or one of its networks",
            expect.stringContaining("2 of 2 changes in hub failed"),
        ]);
        expect([...hub.peers.keys()]).toEqual(["a", "b"]);
    });

    test("is reported again by every run, and by one that wants it back", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        hold(hub, "a", "example.com/hold");
        const gone = (await peerSet.update(host, id, outs, inputs({})).catch((e: unknown) => e)) as PartialFailure;
        for (const next of [inputs({}), inputs({ a: line(1) })]) {
            expect((await reasonsOf(peerSet.update(host, id, gone.properties, next)))[0]).toMatch(
                /^a: it is being deleted but still there, held by example.com\/hold/,
            );
        }
        hub.peers.delete("a");
        await peerSet.update(host, id, gone.properties, inputs({ a: line(1) }));
        expect([...hub.peers.keys()]).toEqual(["a"]);
    });

    test("makes a destroy fail, with its name", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hold(hub, "b", "example.com/hold");
        await expect(peerSet.delete(host, id, outs)).rejects.toThrow(
            "1 of 2 peers in hub could not be deleted; the others are gone",
        );
        await expect(peerSet.delete(host, id, outs)).rejects.toThrow("held by example.com/hold");
    });
});

describe("a stranger that came later", () => {
    const stranger = (hub: MemoryCluster, n: number, ...allowedIPs: readonly string[]): void => {
        const endpoint = { dnsOrIP: { ip: "203.0.113.9" }, port: 1 };
        hub.put("stranger", {}, { publicKey: key(n), allowedIPs, endpoint });
    };

    test("with our key or network costs no peer of ours: it is patched, not replaced", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, undefined, ROAMING) });
        stranger(hub, 1, "10.2.0.0/16");
        const uid = hub.peers.get("a")?.metadata.uid;
        await peerSet.update(host, id, outs, inputs({ a: line(1, "192.0.2.50:51820", undefined, ROAMING) }));
        expect(hub.writes).toEqual(["patch a"]);
        expect(hub.peers.get("a")?.metadata.uid).toBe(uid);
    });

    test("never bars writes that only give something up", async () => {
        const { hub, host, id, outs } = await world({
            a: line(1, undefined, "10.2.1.0/24,10.96.0.0/16"),
            b: line(2),
        });
        stranger(hub, 1, "10.2.0.0/16", "10.96.0.0/16");
        await peerSet.update(host, id, outs, inputs({ a: line(1) }));
        expect(hub.writes.sort()).toEqual(["delete b", "patch a"]);
        expect(lineOf(hub.peers.get("a"))).toBe(line(1));
    });

    test("bars what would be new, and says who it is", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        stranger(hub, 9, "10.96.0.0/16");
        const grown = inputs({ a: line(1, undefined, "10.2.1.0/24,10.96.0.0/16") });
        expect((await reasonsOf(peerSet.update(host, id, outs, grown)))[0]).toBe(
            "a: not written: stranger, which is not ours, has its key or one of its networks by now",
        );
        expect(lineOf(hub.peers.get("a"))).toBe(line(1));
    });
});

/** A cluster with a webhook that cannot be asked without effect. */
function withoutDryRuns(host: TestHost, hub: MemoryCluster): Host {
    const dryRunPeer = async (): Promise<DryRunOutcome> => "unsupported";
    return { ...host, connect: async (): Promise<KubeClient> => ({ ...hub.client(), dryRunPeer }) };
}
