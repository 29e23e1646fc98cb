import { peerSet } from "../../../provider/resources/peer-set";
import { memoryHost } from "../../support/memory-cluster";
import { inputs } from "../../support/peer-set-inputs";
import { line, world } from "./peer-set-world";

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

    test("drops repair when nothing drifted", () => {
        const news = inputs({ a: line(1) }, { repair: { a: "missing" } });
        expect(peerSet.check(host, {}, news).inputs).not.toHaveProperty("repair");
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
