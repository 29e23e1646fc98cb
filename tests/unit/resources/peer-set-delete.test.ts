import { peerSet } from "../../../provider/resources/peer-set";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { inputs } from "../../support/peer-set-inputs";
import { line, world } from "./peer-set-world";

describe("deleting a peer set", () => {
    test("deletes what is ours and nothing else", async () => {
        const { hub, host, outs } = await world({ a: line(1), b: line(2) });
        const foreign = hub.put("foreign", {}, { allowedIPs: [], publicKey: key(9) });
        await peerSet.delete(host, "id", outs);
        expect([...hub.peers.values()]).toEqual([foreign]);
    });

    test("fails and keeps the debt when the cluster does not answer, and says how to go on", async () => {
        const { hub, host, outs } = await world({ a: line(1) });
        hub.fault = () => ({ kind: "unreachable" });
        await expect(peerSet.delete(host, "id", outs)).rejects.toThrow(
            "the peers in hub could not be deleted and stay in the state: cluster hub: unreachable. Run the same command again " +
                "when the cluster answers, or set KILO_CLUSTERMESH_DELETE_UNREACHABLE=hub (or deleteUnreachable: true before the removal) to write them off.",
        );
    });

    test("writes the debt off when KILO_CLUSTERMESH_DELETE_UNREACHABLE says so", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub], { KILO_CLUSTERMESH_DELETE_UNREACHABLE: "true" });
        const { outs } = await peerSet.create(host, inputs({ a: line(1) }));
        hub.fault = () => ({ kind: "unreachable" });
        await peerSet.delete(host, "id", outs);
        expect(host.warnings.join()).toContain("written off");
    });

    test("does not write anything off because credentials expired", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub], { KILO_CLUSTERMESH_DELETE_UNREACHABLE: "true" });
        const { outs } = await peerSet.create(host, inputs({ a: line(1) }));
        hub.fault = () => ({ kind: "unauthorized" });
        await expect(peerSet.delete(host, "id", outs)).rejects.toThrow("KILO_CLUSTERMESH_KUBECONFIG_HUB overrides");
    });

    test("makes no contact where the cluster was never seen: nothing was ever written there", async () => {
        const hub = new MemoryCluster("hub");
        const host = memoryHost([hub]);
        const given = inputs({ a: line(1) }, { pending: "timed out", neverSeen: true });
        const { outs } = await peerSet.create(host, peerSet.check(host, {}, given).inputs);
        hub.fault = () => ({ kind: "config" });
        await peerSet.delete(host, "id", outs);
        expect(hub.log).toEqual([]);
    });

    test("asks the cluster where the state holds anything, whatever else it says", async () => {
        const { hub, host, outs } = await world({ a: line(1) });
        await peerSet.delete(host, "id", { ...outs, neverSeen: true });
        expect(hub.peers.size).toBe(0);
    });

    test("is done when Kilo and its CRD are gone", async () => {
        const { hub, host, outs } = await world({ a: line(1) });
        hub.fault = () => ({ kind: "crd-missing" });
        await expect(peerSet.delete(host, "id", outs)).resolves.toBeUndefined();
    });

    test("names the peers that could not be deleted", async () => {
        const { hub, host, outs } = await world({ a: line(1), b: line(2) });
        hub.fault = (verb, name) => (verb === "delete" && name === "b" ? { kind: "forbidden" } : undefined);
        await expect(peerSet.delete(host, "id", outs)).rejects.toThrow("b: cluster hub: forbidden");
        expect([...hub.peers.keys()]).toEqual(["b"]);
    });
});
