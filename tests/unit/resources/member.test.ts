import type { Props } from "../../../provider/resources/host";
import { member } from "../../../provider/resources/member";
import { encodeFacts } from "../../../provider/state/facts-text";
import { UNKNOWN } from "../../../provider/values/unknown";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";

const facts = (seed: number, more: object = {}): string =>
    encodeFacts({
        name: `n${seed}`,
        podCIDRs: [`10.2.${seed}.0/24`],
        internalIPs: [],
        externalIPs: [],
        key: key(seed),
        granularity: "full",
        kiloEndpoint: `192.0.2.${seed}:51820`,
        ...more,
    });

const bare = encodeFacts({ name: "n1", podCIDRs: ["10.2.1.0/24"], internalIPs: [], externalIPs: [] });

const inputs = (more: Props): Props => ({
    resource: "member",
    schemaVersion: 1,
    mesh: "edge",
    cluster: "hub",
    requestTimeout: 10,
    deleteUnreachable: false,
    allowEmpty: false,
    ...more,
});

describe("a member", () => {
    const host = memoryHost([]);

    test("gets a claim when it is first seen and keeps it for life", () => {
        const first = member.check(host, {}, inputs({ nodes: {} })).inputs;
        expect(first.claim).toMatch(/^claim-/);
        expect(member.check(host, first, inputs({ nodes: { n1: facts(1) } })).inputs.claim).toBe(first.claim);
    });

    test("keeps its last known nodes while it does not answer, and remembers since when", () => {
        const olds = member.check(host, {}, inputs({ nodes: { n1: facts(1) } })).inputs;
        const down = member.check(host, olds, inputs({ unreachable: "timed out" })).inputs;
        expect(down).toMatchObject({ nodes: `n1 ${facts(1)}`, unreachableSince: "2026-01-02T03:04:05.000Z" });
        const later = { ...host, now: () => new Date("2026-02-02T00:00:00Z") };
        expect(member.check(later, down, inputs({ unreachable: "timed out" })).inputs).toEqual(down);
    });

    test("forgets the outage when it answers again", () => {
        const down = member.check(host, {}, inputs({ unreachable: "timed out" })).inputs;
        expect(member.check(host, down, inputs({ nodes: {} })).inputs).not.toHaveProperty("unreachableSince");
    });

    test("keeps the facts of a node whose Kilo annotations are briefly gone", () => {
        const olds = member.check(host, {}, inputs({ nodes: { n1: facts(1), n2: facts(2) } })).inputs;
        const news = member.check(host, olds, inputs({ nodes: { n1: bare, n2: facts(2) } })).inputs;
        expect(news.nodes).toBe(`n1 ${facts(1)}\nn2 ${facts(2)}`);
    });

    test("drops a node whose object is gone", () => {
        const olds = member.check(host, {}, inputs({ nodes: { n1: facts(1), n2: facts(2) } })).inputs;
        expect(member.check(host, olds, inputs({ nodes: { n2: facts(2) } })).inputs.nodes).toBe(`n2 ${facts(2)}`);
    });

    test("keeps all nodes of a cluster that lists none, unless told that it may be empty", () => {
        const olds = member.check(host, {}, inputs({ nodes: { n1: facts(1) } })).inputs;
        expect(member.check(host, olds, inputs({ nodes: {} })).inputs.nodes).toBe(`n1 ${facts(1)}`);
        expect(member.check(host, olds, inputs({ nodes: {}, allowEmpty: true })).inputs.nodes).toBe("");
    });

    test("passes nodes that are not known yet through", () => {
        expect(member.check(host, {}, inputs({ nodes: UNKNOWN })).inputs.nodes).toBe(UNKNOWN);
    });

    test("is unchanged by the same facts and changed by others, or by other credentials", async () => {
        const checked = member.check(host, {}, inputs({ nodes: { n1: facts(1) } })).inputs;
        const { outs } = await member.create(host, checked);
        expect(member.diff(outs, checked)).toEqual({ changes: false });
        expect(member.diff(outs, { ...checked, nodes: { n1: facts(2) } })).toEqual({ changes: true });
        expect(member.diff(outs, { ...checked, kubeconfig: "rotated" })).toEqual({ changes: true });
        expect(member.diff(outs, { ...checked, resourceUrn: "urn:pulumi:renamed" })).toEqual({ changes: false });
    });

    test("sweeps up on delete what an interrupted run left under its claim, and nothing else", async () => {
        const hub = new MemoryCluster("hub");
        const spec = { allowedIPs: [], publicKey: key(1) };
        hub.put("ours", { "kilo-clustermesh.io/claim": "claim-1" }, spec);
        const foreign = hub.put("theirs", { "kilo-clustermesh.io/claim": "claim-2" }, spec);
        await member.delete(memoryHost([hub]), "id", inputs({ claim: "claim-1" }));
        expect([...hub.peers.values()]).toEqual([foreign]);
    });

    test("cannot be deleted while its cluster does not answer, unless the debt is written off", async () => {
        const hub = new MemoryCluster("hub");
        hub.fault = () => ({ kind: "unreachable" });
        const outs = inputs({ claim: "claim-1" });
        await expect(member.delete(memoryHost([hub]), "id", outs)).rejects.toThrow("the remaining peers in hub");
        await expect(
            member.delete(memoryHost([hub]), "id", { ...outs, deleteUnreachable: true }),
        ).resolves.toBeUndefined();
    });
});
