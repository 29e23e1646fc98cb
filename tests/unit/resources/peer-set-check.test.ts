import { peerSet } from "../../../provider/resources/peer-set";
import { UNKNOWN } from "../../../provider/values/unknown";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { inputs, peerSetInputs } from "../../support/peer-set-inputs";
import { line, ours, world } from "./peer-set-world";

describe("a peer set whose cluster does not answer", () => {
    test("keeps the peers it had as inputs and is not a change", () => {
        const host = memoryHost([]);
        const olds = inputs({ a: line(1) });
        const checked = peerSet.check(
            host,
            olds,
            inputs({ a: line(1), b: line(2) }, { pending: "timed out", repair: {} }),
        );
        expect(checked.inputs.peers).toEqual({ spoke: `a ${line(1)}` });
        expect(checked.inputs).not.toHaveProperty("repair");
        expect(peerSet.diff({ ...olds, ledger: "" }, checked.inputs)).toEqual({ changes: false });
    });

    test("is retried by the next run, because what is wanted is not what the ledger says", async () => {
        const { outs } = await world({ a: line(1) });
        expect(peerSet.diff(outs, inputs({ a: line(1), b: line(2) }))).toEqual({ changes: true });
    });

    test("is created empty when it never answered", async () => {
        const host = memoryHost([]);
        const { inputs: checked } = peerSet.check(host, {}, inputs({ a: line(1) }, { pending: "timed out" }));
        const { outs } = await peerSet.create(host, checked);
        expect(outs.ledger).toBe("");
    });

    test("is left as it was, with a warning, when it stops answering between planning and writing", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        hub.fault = () => ({ kind: "unreachable" });
        const next = inputs({ a: line(1), b: line(2) });
        const updated = await peerSet.update(host, id, outs, next);
        expect(host.warnings.join()).toContain("the next `pulumi up` tries again");
        expect(peerSet.diff(updated.outs, next)).toEqual({ changes: true });
    });
});

describe("the check of a peer set", () => {
    const host = memoryHost([]);

    test("keeps as repair only what was written before and is still wanted", () => {
        const olds = inputs({ a: line(1), b: line(2) });
        const news = inputs(
            { a: line(1), b: line(2, "192.0.2.99:51820"), c: line(3) },
            { repair: { a: "missing", b: "is …", c: "missing", stray: "left over" } },
        );
        expect(peerSet.check(host, olds, news).inputs.repair).toEqual({ a: "missing", stray: "left over" });
    });

    test("names every repair, for previews that show no differences", () => {
        const telling = memoryHost([]);
        const olds = inputs({ a: line(1), b: line(2) });
        peerSet.check(telling, olds, inputs({ a: line(1), b: line(2) }, { repair: { a: "missing, will be created" } }));
        peerSet.check(telling, olds, inputs({ a: line(1), b: line(2) }, { repair: { a: "gone", b: "changed" } }));
        expect(telling.warnings.filter((said) => said.startsWith("a:") || said.includes("to repair"))).toEqual([
            "a: missing, will be created",
            "2 peers to repair\n  - a: gone\n  - b: changed",
        ]);
    });

    test("drops repair when nothing drifted", () => {
        const news = inputs({ a: line(1) }, { repair: { a: "missing" } });
        expect(peerSet.check(host, {}, news).inputs).not.toHaveProperty("repair");
    });
});

describe("sources of which a value is not known yet", () => {
    const host = memoryHost([]);
    const known = { spoke: { a: line(1) } };

    test("are unknown by themselves in the check: all else is exact", () => {
        const olds = peerSetInputs({ spoke: { a: line(1) }, far: { z: line(9) } });
        const news = peerSetInputs({ spoke: { a: line(1), b: line(2) }, far: UNKNOWN });
        expect(peerSet.check(host, olds, news).inputs.peers).toEqual({
            spoke: { a: line(1), b: line(2) },
            far: UNKNOWN,
        });
    });

    test("do not change the form in which the others are shown", () => {
        const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`p${i}`, line((i % 250) + 1)]));
        const olds = peerSet.check(host, {}, peerSetInputs({ spoke: { a: line(1) }, far: many })).inputs;
        expect(typeof (olds.peers as Record<string, unknown>).spoke).toBe("string");
        const news = peerSet.check(host, olds, peerSetInputs({ spoke: { a: line(1) }, far: UNKNOWN })).inputs;
        expect(news.peers).toEqual({ spoke: `a ${line(1)}`, far: UNKNOWN });
    });

    test("are a change in the preview, for it may be one", async () => {
        const { outs } = await world({ a: line(1) });
        expect(peerSet.diff(outs, peerSetInputs({ ...known, far: UNKNOWN }))).toEqual({ changes: true });
        expect(peerSet.diff(outs, peerSetInputs(known))).toEqual({ changes: false });
    });

    test("stop an update from writing anything, and what was recorded stays recorded", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) });
        const updated = await peerSet.update(told, id, outs, peerSetInputs({ spoke: { b: line(2) }, far: UNKNOWN }));
        expect(hub.log).toEqual([]);
        expect(updated.outs.ledger).toBe(outs.ledger);
        expect(told.warnings.join()).toContain("is not known in this run, so nothing was written");
    });

    test("do not hide that the target waits", () => {
        const { inputs: checked } = peerSet.check(
            host,
            peerSetInputs(known),
            peerSetInputs({ far: UNKNOWN }, { pending: "timed out" }),
        );
        expect(checked.peers).toEqual(known);
    });
});

describe("peers without labels", () => {
    const uidOf = (hub: MemoryCluster): string => hub.peers.get("a")!.metadata.uid;

    test("are a change where the ledger knows their uid", async () => {
        const { hub, outs } = await world({ a: line(1) });
        const news = inputs({ a: line(1) }, { unlabelled: { a: uidOf(hub) } });
        expect(peerSet.diff(outs, news)).toEqual({ changes: true });
    });

    test("and with another uid are a stranger's, and no change: no update without end", async () => {
        const { outs } = await world({ a: line(1) });
        expect(peerSet.diff(outs, inputs({ a: line(1) }, { unlabelled: { a: "another" } }))).toEqual({
            changes: false,
        });
        expect(peerSet.diff(outs, inputs({ a: line(1) }, { unlabelled: { b: "another" } }))).toEqual({
            changes: false,
        });
    });

    test("are restored by uid, and then are no change any more", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) });
        const { metadata, spec } = hub.peers.get("a")!;
        hub.peers.set("a", { metadata: { name: "a", uid: metadata.uid }, spec });
        const news = inputs({ a: line(1) }, { unlabelled: { a: metadata.uid } });
        const updated = await peerSet.update(told, id, outs, news);
        expect(hub.writes).toEqual(["patch a"]);
        expect(hub.peers.get("a")?.metadata).toMatchObject({ uid: metadata.uid, labels: ours });
        expect(peerSet.diff(updated.outs, inputs({ a: line(1) }))).toEqual({ changes: false });
    });
});

describe("another cluster under the same name", () => {
    test("is not touched, whatever is to be done there", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) }, { identity: "uid-1" });
        hub.uid = "uid-2";
        const before = [...hub.peers.values()];
        const next = inputs({ b: line(2) }, { identity: "uid-1" });
        await expect(peerSet.update(told, id, outs, next)).rejects.toThrow("leads to another cluster (uid-2)");
        await expect(peerSet.delete(told, id, outs)).rejects.toThrow("leads to another cluster (uid-2)");
        expect(await peerSet.read(told, id, outs)).toEqual({ id, props: outs });
        expect([...hub.peers.values()]).toEqual(before);
    });

    test("that the user says was rebuilt starts with an empty ledger: its objects are told apart by claim alone", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) }, { identity: "uid-1" });
        hub.peers.clear();
        hub.uid = "uid-2";
        const news = inputs({ a: line(1) }, { identity: "uid-2" });
        expect(peerSet.diff(outs, news)).toEqual({ changes: true });
        const updated = await peerSet.update(told, id, outs, news);
        expect([...hub.peers.keys()]).toEqual(["a"]);
        expect(told.warnings).toEqual([]);
        expect(updated.outs.identity).toBe("uid-2");
        expect(peerSet.diff(updated.outs, news)).toEqual({ changes: false });
    });

    test("is not compared where nobody may read which it is", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) }, { identity: "uid-1" });
        hub.uid = undefined;
        await peerSet.update(told, id, outs, inputs({ a: line(1), b: line(2) }, { identity: "uid-1" }));
        expect(hub.peers.size).toBe(2);
    });
});

describe("objects of a member that was replaced", () => {
    test("are ours by the ledger and their former claim, and get the new one without a gap", async () => {
        const { hub, host: told, id, outs } = await world({ a: line(1) });
        const { uid } = hub.peers.get("a")!.metadata;
        const news = inputs({ a: line(1) }, { claim: "claim-2" });
        expect(peerSet.diff(outs, news)).toEqual({ changes: true });
        const updated = await peerSet.update(told, id, outs, news);
        expect(hub.writes).toEqual(["patch a"]);
        expect(hub.peers.get("a")?.metadata).toMatchObject({ uid, labels: { "kilo-clustermesh.io/claim": "claim-2" } });
        expect(peerSet.diff(updated.outs, news)).toEqual({ changes: false });
    });

    test("are taken over by name where the plan said so, and only if they are of this mesh", async () => {
        const hub = new MemoryCluster("hub");
        const told = memoryHost([hub]);
        const spec = {
            publicKey: key(1),
            allowedIPs: ["10.2.1.0/24"],
            endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
        };
        const id = "kilo-clustermesh.io/mesh-id";
        const mine = hub.put("a", { "kilo-clustermesh.io/claim": "gone", [id]: "mesh-1" }, spec);
        const theirs = hub.put(
            "b",
            { "kilo-clustermesh.io/claim": "gone", [id]: "mesh-2" },
            { ...spec, publicKey: key(2), allowedIPs: ["10.9.0.0/24"] },
        );
        await peerSet.create(
            told,
            inputs({ a: line(1) }, { meshId: "mesh-1", adopt: { a: "taken over", b: "taken over" } }),
        );
        expect(hub.peers.get("a")?.metadata).toMatchObject({ uid: mine.metadata.uid, labels: ours });
        expect(hub.peers.get("b")).toBe(theirs);
    });
});

describe("refreshing a peer set", () => {
    test("changes nothing when the cluster is as we left it", async () => {
        const { host, id, outs } = await world({ a: line(1) });
        expect(await peerSet.read(host, id, outs)).toEqual({ id, props: outs });
    });

    test("shows a hand edit and a missing peer as drift, by name", async () => {
        const { hub, host, id, outs } = await world({ a: line(1), b: line(2) });
        hub.peers.delete("b");
        const a = hub.peers.get("a")!;
        hub.peers.set("a", { ...a, spec: { ...a.spec, allowedIPs: ["10.66.0.0/24"] } });
        const read = await peerSet.read(host, id, outs);
        expect(read.inputs?.peers).toEqual({ spoke: { a: line(1, undefined, "10.66.0.0/24") } });
        expect(host.warnings.join()).toContain(`a is now ${line(1, undefined, "10.66.0.0/24")}\n  b is missing`);
        expect(peerSet.diff(read.props, inputs({ a: line(1), b: line(2) }))).toEqual({ changes: true });
    });

    test("keeps the record and warns when the cluster does not answer", async () => {
        const { hub, host, id, outs } = await world({ a: line(1) });
        hub.fault = () => ({ kind: "unreachable" });
        expect(await peerSet.read(host, id, outs)).toEqual({ id, props: outs });
        expect(host.warnings).toEqual(["cluster hub: unreachable. Its recorded peers are kept as they were."]);
    });
});
