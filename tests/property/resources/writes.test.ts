import type { KubeErrorKind } from "../../../provider/kube/errors/kube-error";
import { networkOf, overlaps } from "../../../provider/net/cidr";
import { PartialFailure } from "../../../provider/resources/host";
import { peerSet } from "../../../provider/resources/peer-set";
import fc from "../../support/chance";
import { key } from "../../support/keys";
import type { StoredPeer } from "../../support/memory-cluster";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { lineOf } from "../../support/peer-line";
import { inputs } from "../../support/peer-set-inputs";

const RUNS = 2_000;

/** A plan for one target: keys and networks are dealt out, so no two peers of one plan share any. */
const plan = fc
    .record({
        names: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 5 }),
        keys: fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 5 }),
        networks: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 5 }),
        keepalive: fc.constantFrom("", "keepalive=25 "),
        endpoints: fc.array(fc.constantFrom("no-endpoint", "192.0.2.1:51820", "192.0.2.2:51820"), {
            minLength: 5,
            maxLength: 5,
        }),
        extra: fc.option(fc.nat(4)),
    })
    .map(({ names, keys, networks, keepalive, endpoints, extra }) =>
        Object.fromEntries(
            names.map((name, index) => {
                const endpoint = endpoints[index]!;
                const pause = endpoint === "no-endpoint" ? "keepalive=25 " : keepalive;
                const anchor = extra === index ? ",10.96.0.0/16" : "";
                return [name, `${key(keys[index]!)} ${endpoint} ${pause}10.2.${networks[index]! * 2}.0/23${anchor}`];
            }),
        ),
    );

const faults = fc.array(
    fc.record({
        at: fc.nat(12),
        kind: fc.constantFrom<KubeErrorKind>("invalid", "server", "unreachable", "conflict"),
        after: fc.boolean(),
    }),
    { maxLength: 3 },
);

/** No key twice, no address on two peers: WireGuard would silently give it to one of them. */
function assertExclusive(peers: readonly StoredPeer[]): void {
    const keys = peers.map(({ spec }) => spec.publicKey);
    if (new Set(keys).size !== keys.length) throw new Error(`one key on two peers: ${peers.map(lineOf).join(" | ")}`);
    const networks = peers.flatMap(({ metadata, spec }) =>
        (spec.allowedIPs ?? []).map((cidr) => ({ name: metadata.name, network: networkOf(cidr)! })),
    );
    for (const a of networks) {
        for (const b of networks) {
            if (a.name < b.name && overlaps(a.network, b.network)) {
                throw new Error(`one network on two peers: ${a.name} ${a.network.text}, ${b.name} ${b.network.text}`);
            }
        }
    }
}

const lines = (hub: MemoryCluster): Record<string, string> =>
    Object.fromEntries([...hub.peers].map(([name, peer]) => [name, lineOf(peer)]));

test("whatever fails on the way, no key or network is ever on two peers, and the next run converges", async () => {
    await fc.assert(
        fc.asyncProperty(plan, plan, faults, async (before, after, broken) => {
            const hub = new MemoryCluster("hub");
            const host = memoryHost([hub]);
            hub.onChange = assertExclusive;
            const { id, outs } = await peerSet.create(host, inputs(before));
            let calls = 0;
            hub.fault = (verb) => {
                if (verb === "list") return undefined;
                const call = calls++;
                return broken.find(({ at }) => at === call);
            };
            let state = outs;
            try {
                state = (await peerSet.update(host, id, outs, inputs(after))).outs;
            } catch (error) {
                if (!(error instanceof PartialFailure)) throw error;
                state = error.properties;
            }
            hub.fault = () => undefined;
            const repaired = await peerSet.update(host, id, state, inputs(after));
            expect(lines(hub)).toEqual(after);
            expect(peerSet.diff(repaired.outs, inputs(after))).toEqual({ changes: false });
            hub.log.length = 0;
            await peerSet.update(host, id, repaired.outs, inputs(after));
            expect(hub.writes).toEqual([]);
            await peerSet.delete(host, id, repaired.outs);
            expect(hub.peers.size).toBe(0);
        }),
        { numRuns: RUNS },
    );
});

test("peers that do not change are not written", async () => {
    await fc.assert(
        fc.asyncProperty(plan, plan, async (before, after) => {
            const hub = new MemoryCluster("hub");
            const host = memoryHost([hub]);
            const { id, outs } = await peerSet.create(host, inputs(before));
            hub.log.length = 0;
            await peerSet.update(host, id, outs, inputs(after));
            const same = Object.keys(after).filter((name) => before[name] === after[name]);
            for (const name of same) expect(hub.writes.join("\n")).not.toMatch(new RegExp(` ${name}$`, "m"));
        }),
        { numRuns: RUNS },
    );
});
