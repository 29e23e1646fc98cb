import { PartialFailure } from "../../../provider/resources/host";
import { peerSet } from "../../../provider/resources/peer-set";
import { UNKNOWN } from "../../../provider/values/unknown";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { CLAIM, inputs } from "../../support/peer-set-inputs";
import { reasonsIn } from "../../support/reasons";
import { line, ours, world } from "./peer-set-world";

describe("a peer set", () => {
    test("writes every peer with its labels, its owner and its spec", async () => {
        const { hub } = await world({
            "edge--spoke--n1": line(1, undefined, "10.2.1.0/24,10.4.0.1/32", "keepalive=25 "),
        });
        expect(hub.peers.get("edge--spoke--n1")).toMatchObject({
            metadata: {
                labels: {
                    "kilo-clustermesh.io/mesh": "edge",
                    "kilo-clustermesh.io/source-cluster": "spoke",
                    "kilo-clustermesh.io/claim": CLAIM,
                    "app.kubernetes.io/managed-by": "pulumi",
                },
                annotations: { "kilo-clustermesh.io/owner": "org/proj/stack/edge" },
            },
            spec: {
                publicKey: key(1),
                endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
                persistentKeepalive: 25,
                allowedIPs: ["10.2.1.0/24", "10.4.0.1/32"],
            },
        });
    });

    test("is unchanged when the same peers are wanted again", async () => {
        const { outs } = await world({ a: line(1), b: line(2) });
        expect(peerSet.diff(outs, inputs({ b: line(2), a: line(1) }))).toEqual({ changes: false });
    });

    test.each([
        ["a new peer", inputs({ a: line(1), b: line(2), c: line(3) })],
        ["a peer less", inputs({ a: line(1) })],
        ["another endpoint", inputs({ a: line(1, "192.0.2.9:51820"), b: line(2) })],
        ["drift", inputs({ a: line(1), b: line(2) }, { repair: { a: "missing" } })],
        ["a peer to adopt", inputs({ a: line(1), b: line(2) }, { adopt: { c: "will be taken over" } })],
        ["other credentials", inputs({ a: line(1), b: line(2) }, { kubeconfig: "rotated" })],
        ["peers that are not known yet", inputs({}, { peers: UNKNOWN })],
    ])("is changed by %s", async (_, news) => {
        const { outs } = await world({ a: line(1), b: line(2) });
        expect(peerSet.diff(outs, news)).toEqual({ changes: true });
    });

    test("writes nothing but what changed", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2), c: line(3) });
        await peerSet.update(host, id, outs, inputs({ a: line(1), b: line(2, "192.0.2.99:51820"), d: line(4) }));
        expect(hub.writes.sort()).toEqual(["create d", "delete c", "patch b"]);
    });

    test("takes other credentials into the state without a write", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        const updated = await peerSet.update(host, id, outs, inputs({ a: line(1) }, { kubeconfig: "rotated" }));
        expect(hub.writes).toEqual([]);
        expect(updated.outs.kubeconfig).toBe("rotated");
    });

    test("keeps specs out of its outputs", async () => {
        const { outs } = await world({ a: line(1) });
        expect(JSON.stringify(outs)).not.toContain(key(1));
        expect(outs).not.toHaveProperty("peers");
    });

    test("withdraws a network before it grants it to another peer", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, "10.2.1.0/24,10.96.0.0/16"), b: line(2) });
        await peerSet.update(host, id, outs, inputs({ a: line(1), b: line(2, undefined, "10.2.2.0/24,10.96.0.0/16") }));
        expect(hub.writes).toEqual(["patch a", "patch b"]);
    });

    test("does not grant a network while the peer that has it could not be changed", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, "10.2.1.0/24,10.96.0.0/16"), b: line(2) });
        hub.fault = (verb, name) => (verb === "patch" && name === "a" ? { kind: "invalid" } : undefined);
        const next = inputs({ a: line(1), b: line(2, undefined, "10.2.2.0/24,10.96.0.0/16") });
        const failure = await peerSet.update(host, id, outs, next).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(PartialFailure);
        expect(reasonsIn(failure)).toEqual([
            "a: cluster hub: invalid. Fix it",
            "b: waits for a, which still holds its key or one of its networks",
            "2 of 2 changes in hub failed; what was done is recorded. Run `pulumi up` again to go on.",
        ]);
        expect(hub.writes).toEqual(["patch a"]);
    });

    test("swaps keys between two peers without ever showing one key twice", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hub.onChange = (peers) => {
            const keys = peers.map((peer) => peer.spec.publicKey);
            expect(new Set(keys).size).toBe(keys.length);
        };
        const next = inputs({ a: line(2, undefined, "10.2.1.0/24"), b: line(1, undefined, "10.2.2.0/24") });
        await peerSet.update(host, id, outs, next);
        expect(hub.peers.get("a")?.spec.publicKey).toBe(key(2));
        expect(hub.peers.get("b")?.spec.publicKey).toBe(key(1));
    });

    test("deletes and creates a roaming peer whose configured endpoint changed, since Kilo would ignore it", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, undefined, "keepalive=25 ") });
        await peerSet.update(host, id, outs, inputs({ a: line(1, "192.0.2.50:51820", undefined, "keepalive=25 ") }));
        expect(hub.writes).toEqual(["dry-run a", "delete a", "create a"]);
    });

    test("patches a peer in place when its key changes with its endpoint", async () => {
        const { hub, host, id, outs } = await world({ a: line(1, undefined, undefined, "keepalive=25 ") });
        const moved = `${key(7)} 192.0.2.50:51820 keepalive=25 10.2.1.0/24`;
        await peerSet.update(host, id, outs, inputs({ a: moved }));
        expect(hub.writes).toEqual(["patch a"]);
    });

    test("deletes and creates any changed peer while some peer there has no endpoint, foreign ones included", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hub.put("road-warrior", {}, { allowedIPs: ["10.250.0.1/32"], publicKey: key(99) });
        await peerSet.update(host, id, outs, inputs({ a: line(1, "192.0.2.50:51820"), b: line(2) }));
        expect(hub.writes).toEqual(["dry-run a", "delete a", "create a"]);
    });

    test("goes on after a refused peer, records what was written, and ends as a partial failure", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        hub.fault = (verb, name) => (verb === "create" && name === "b" ? { kind: "invalid" } : undefined);
        const failure = await peerSet
            .create(host, inputs({ a: line(1), b: line(2), c: line(3) }))
            .catch((error: unknown) => error as PartialFailure);
        expect(failure).toBeInstanceOf(PartialFailure);
        const { properties, id } = failure as PartialFailure;
        expect([...hub.peers.keys()].sort()).toEqual(["a", "c"]);
        expect(reasonsIn(failure)).toEqual([
            "b: cluster hub: invalid. Fix it",
            "1 of 3 changes in hub failed; what was done is recorded. Run `pulumi up` again to go on.",
        ]);
        hub.fault = () => undefined;
        hub.log.length = 0;
        await peerSet.update(host, id, properties, inputs({ a: line(1), b: line(2), c: line(3) }));
        expect(hub.writes).toEqual(["create b"]);
    });

    test("takes back a peer whose create was done but whose answer was lost", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        hub.fault = (verb) =>
            verb === "create" && hub.writes.length === 1 ? { kind: "already-exists", after: true } : undefined;
        const { outs } = await peerSet.create(host, inputs({ a: line(1) }));
        expect(peerSet.diff(outs, inputs({ a: line(1) }))).toEqual({ changes: false });
    });

    test("never touches a foreign peer that holds a wanted name", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        const foreign = hub.put(
            "a",
            {},
            { allowedIPs: ["10.99.0.0/24"], publicKey: key(50), endpoint: { dnsOrIP: { ip: "192.0.2.77" }, port: 1 } },
        );
        const failure = await peerSet.create(host, inputs({ a: line(1), b: line(2) })).catch((error: unknown) => error);
        expect(reasonsIn(failure)).toEqual([
            "a: the name is held by a peer that is not ours, which is left alone",
            "1 of 2 changes in hub failed; what was done is recorded. Run `pulumi up` again to go on.",
        ]);
        expect(hub.peers.get("a")).toBe(foreign);
    });

    test("repairs a peer of ours whose labels were taken away", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        const { metadata, spec } = hub.peers.get("a")!;
        hub.peers.set("a", { metadata: { name: "a", uid: metadata.uid }, spec });
        await peerSet.update(host, id, outs, inputs({ a: line(1) }, { repair: { a: "its labels were changed" } }));
        expect(hub.writes).toEqual(["patch a"]);
        expect(hub.peers.get("a")?.metadata.labels).toMatchObject(ours);
    });

    test("leaves alone a peer that someone else claimed after us", async () => {
        const { hub, host, outs } = await world({ a: line(1) });
        const { metadata, spec } = hub.peers.get("a")!;
        const theirs = {
            metadata: { ...metadata, labels: { ...metadata.labels, "kilo-clustermesh.io/claim": "theirs" } },
            spec,
        };
        hub.peers.set("a", theirs);
        await peerSet.delete(host, "id", outs);
        expect(hub.peers.get("a")).toBe(theirs);
    });

    test("adopts a peer with our labels when told to, and deletes an adopted one that the plan does not need", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        const labels = { "kilo-clustermesh.io/mesh": "edge", "kilo-clustermesh.io/source-cluster": "spoke" };
        const before = hub.put("a", labels, {
            allowedIPs: ["10.2.1.0/24"],
            publicKey: key(1),
            endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
        });
        hub.put("edge--spoke--anchor", labels, { allowedIPs: ["10.96.0.0/16"], publicKey: key(1) });
        await peerSet.create(host, inputs({ a: line(1) }, { adopt: { a: "", "edge--spoke--anchor": "" } }));
        expect([...hub.peers.keys()]).toEqual(["a"]);
        expect(hub.peers.get("a")?.metadata).toMatchObject({ uid: before.metadata.uid, labels: ours });
    });

    test("removes what an interrupted run left under our claim", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        hub.put(
            "left-over",
            { ...ours },
            { allowedIPs: ["10.77.0.0/24"], publicKey: key(60), endpoint: { dnsOrIP: { ip: "192.0.2.60" }, port: 1 } },
        );
        await peerSet.update(host, id, outs, inputs({ a: line(1) }, { repair: { "left-over": "left over" } }));
        expect([...hub.peers.keys()]).toEqual(["a"]);
    });

    test("stops trying when the cluster stops answering half-way, and keeps what was written", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        const peers = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, line(i + 1)]));
        hub.fault = (verb) => (verb === "create" && hub.writes.length > 40 ? { kind: "unreachable" } : undefined);
        const failure = (await peerSet.create(host, inputs(peers)).catch((error: unknown) => error)) as PartialFailure;
        expect(hub.writes.length).toBeLessThan(80);
        expect(String(failure.properties.ledger).split(";")).toHaveLength(hub.peers.size);
    });

    test("says so when none of the recorded peers exist any more", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        hub.peers.clear();
        await peerSet.update(host, id, outs, inputs({ a: line(1) }, { repair: { a: "missing" } }));
        expect(host.warnings.join()).toContain("none of the 1 recorded peers exist in hub any more");
        expect([...hub.peers.keys()]).toEqual(["a"]);
    });
});
