import type { Props } from "../../../provider/resources/host";
import { member } from "../../../provider/resources/member";
import { encodeFacts } from "../../../provider/state/facts-text";
import { claimOfId } from "../../../provider/state/member-id";
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
    kubeconfig: "kubeconfig-1",
    requestTimeout: 10,
    deleteUnreachable: false,
    allowEmpty: false,
    ...more,
});

const host = memoryHost([]);
const checked = (olds: Props, more: Props): Props => member.check(host, olds, inputs(more)).inputs;
const NOW = "2026-01-02T03:04:05.000Z";

describe("the claim of a member", () => {
    test("is made when it is created, is a part of its id, and stays", async () => {
        const first = checked({}, { nodes: "" });
        expect(first).not.toHaveProperty("claim");
        const { id, outs } = await member.create(host, first);
        expect(id).toBe(`edge/hub/${outs.claim}`);
        expect(claimOfId(id)).toBe(outs.claim);
        const news = checked(first, { nodes: `n1 ${facts(1)}` });
        expect((await member.update(host, id, outs, news)).outs.claim).toBe(outs.claim);
    });

    test("differs for every member that is created", async () => {
        const given = checked({}, { nodes: "" });
        expect((await member.create(host, given)).outs.claim).not.toBe((await member.create(host, given)).outs.claim);
    });

    test("that 0.1.0 recorded in the inputs is carried on", async () => {
        const news = checked({ claim: "of-0.1.0", cluster: "hub" }, { nodes: "" });
        expect(news.claim).toBe("of-0.1.0");
        const { outs } = await member.update(host, "edge/hub", { claim: "of-0.1.0" }, news);
        expect(outs.claim).toBe("of-0.1.0");
        expect(claimOfId("edge/hub")).toBeUndefined();
        expect(member.diff({ ...outs, claim: "of-0.1.0" }, news)).toEqual({ changes: false });
    });
});

describe("the nodes of a member", () => {
    test("are kept while it does not answer, and since when is remembered", () => {
        const olds = checked({}, { nodes: { n1: facts(1) } });
        const down = checked(olds, { unreachable: "timed out" });
        expect(down).toMatchObject({ nodes: `n1 ${facts(1)}`, unreachableSince: NOW });
        const later = { ...host, now: () => new Date("2026-02-02T00:00:00Z") };
        expect(member.check(later, down, inputs({ unreachable: "timed out" })).inputs).toEqual(down);
    });

    test("are kept while it cannot be used, with why and what to do", () => {
        const olds = checked({}, { nodes: { n1: facts(1) } });
        const locked = checked(olds, { unusable: "401", unusableFix: "Renew the token" });
        expect(locked).toMatchObject({
            nodes: `n1 ${facts(1)}`,
            unusable: "401",
            unusableFix: "Renew the token",
            unusableSince: NOW,
        });
        expect(locked).not.toHaveProperty("unreachableSince");
    });

    const lettered = `n1 p10.2.1.0/24 k${key(1)} e192.0.2.1:51820 g%F`;

    test.each<[string, Props]>([
        ["answers", { nodes: `n1 ${facts(1)}` }],
        ["is silent", { unreachable: "timed out" }],
        ["cannot be used", { unusable: "401", unusableFix: "Renew the token" }],
    ])(
        "that schema version 1 recorded in letters are words after one update, where the cluster %s",
        async (_, given) => {
            const { id, outs } = await member.create(host, { ...checked({}, { nodes: lettered }), nodes: lettered });
            const first = checked({ ...outs, schemaVersion: 1 }, { schemaVersion: 2, ...given });
            expect(first.nodes).toBe(`n1 ${facts(1)}`);
            expect(member.diff(outs, first)).toEqual({ changes: true });
            const { outs: updated } = await member.update(host, id, outs, first);
            expect(member.diff(updated, checked(first, { schemaVersion: 2, ...given }))).toEqual({ changes: false });
        },
    );

    test("forget an outage when it is over", () => {
        const down = checked({}, { unreachable: "timed out" });
        expect(checked(down, { nodes: {} })).not.toHaveProperty("unreachableSince");
        const locked = checked({}, { unusable: "401", unusableFix: "x" });
        const back = checked(locked, { nodes: {} });
        for (const field of ["unusable", "unusableFix", "unusableSince"]) expect(back).not.toHaveProperty(field);
    });

    test("keep the facts of one whose Kilo annotations are briefly gone", () => {
        const olds = checked({}, { nodes: { n1: facts(1), n2: facts(2) } });
        const news = checked(olds, { nodes: { n1: bare, n2: facts(2) } });
        expect(news.nodes).toBe(`n1 ${facts(1)}\nn2 ${facts(2)}`);
    });

    test("drop one whose object is gone", () => {
        const olds = checked({}, { nodes: { n1: facts(1), n2: facts(2) } });
        expect(checked(olds, { nodes: { n2: facts(2) } }).nodes).toBe(`n2 ${facts(2)}`);
    });

    test("are all kept where the cluster lists none, unless told that it may be empty", () => {
        const olds = checked({}, { nodes: { n1: facts(1) } });
        expect(checked(olds, { nodes: {} }).nodes).toBe(`n1 ${facts(1)}`);
        expect(checked(olds, { nodes: {}, allowEmpty: true }).nodes).toBe("");
    });

    test("that are not known yet pass through, and nothing recorded is lost by an update of them", async () => {
        expect(checked({}, { nodes: UNKNOWN }).nodes).toBe(UNKNOWN);
        const olds = checked({}, { nodes: { n1: facts(1) }, identity: "uid-1" });
        const { id, outs } = await member.create(host, olds);
        const news = checked(olds, { nodes: UNKNOWN, kubeconfig: UNKNOWN });
        expect(news.identity).toBe("uid-1");
        const updated = await member.update(host, id, outs, news);
        expect(updated.outs).toMatchObject({ nodes: `n1 ${facts(1)}`, kubeconfig: "kubeconfig-1" });
        const created = await member.create(host, checked({}, { nodes: UNKNOWN }));
        expect(created.outs.nodes).toBe("");
    });

    test("are unchanged by the same facts and changed by others, or by other credentials", async () => {
        const given = checked({}, { nodes: { n1: facts(1) } });
        const { outs } = await member.create(host, given);
        expect(member.diff(outs, given)).toEqual({ changes: false });
        expect(member.diff(outs, { ...given, nodes: { n1: facts(2) } })).toEqual({ changes: true });
        expect(member.diff(outs, { ...given, kubeconfig: "rotated" })).toEqual({ changes: true });
        expect(member.diff(outs, { ...given, resourceUrn: "urn:pulumi:renamed" })).toEqual({ changes: false });
    });
});

describe("credentials", () => {
    const olds = checked({}, { nodes: { n1: facts(1) } });

    test.each<[string, Props]>([
        ["is silent", { unreachable: "timed out", kubeconfig: "kubeconfig-2" }],
        ["cannot be used", { unusable: "401", unusableFix: "x", kubeconfig: "kubeconfig-2" }],
        ["could not be asked, because its Secret could not be read", { unreachable: "holder", kubeconfig: undefined }],
        ["could not be asked, and a secret without a value came", { unreachable: "holder", kubeconfig: null }],
        [
            "was reached by an override, and a secret without a value came",
            { nodes: { n1: facts(1) }, kubeconfig: null },
        ],
        ["lost its Secret", { unusable: "no such Secret", unusableFix: "x", kubeconfig: undefined }],
        ["was reached by an override for this run", { nodes: { n1: facts(1) }, kubeconfig: undefined }],
    ])("stay as recorded where the cluster %s", (_, more) => {
        expect(checked(olds, more).kubeconfig).toBe("kubeconfig-1");
    });

    test("follow the program where the cluster was seen with them", () => {
        expect(checked(olds, { nodes: { n1: facts(1) }, kubeconfig: "kubeconfig-2" }).kubeconfig).toBe("kubeconfig-2");
        const local = checked(olds, { nodes: { n1: facts(1) }, kubeconfig: undefined, local: true });
        expect(local).not.toHaveProperty("kubeconfig");
        expect(local.local).toBe(true);
    });

    test("are those given where none are recorded", () => {
        expect(checked({}, { unreachable: "timed out" }).kubeconfig).toBe("kubeconfig-1");
    });

    test("are no change where a kubeconfig is only written differently: as an object, as JSON, as YAML", () => {
        const yaml = "clusters: []\ncontexts: []\ncurrent-context: hub\n";
        const recorded = { ...olds, kubeconfig: yaml };
        const given = (kubeconfig: string) => checked(recorded, { nodes: { n1: facts(1) }, kubeconfig }).kubeconfig;
        expect(given('{"current-context":"hub","contexts":[],"clusters":[]}')).toBe(yaml);
        const other = '{"current-context":"edge","contexts":[],"clusters":[]}';
        expect(given(other)).toBe(other);
        expect(checked({ ...olds, kubeconfig: "/a" }, { nodes: {}, kubeconfig: "/b" }).kubeconfig).toBe("/b");
    });
});

describe("the identity of a member", () => {
    const olds = checked({}, { nodes: { n1: facts(1) }, identity: "uid-1" });
    const other = { nodes: { n9: facts(9) }, identity: "uid-2", kubeconfig: "kubeconfig-2" };

    test("is recorded when it is first seen", () => {
        expect(olds.identity).toBe("uid-1");
        const unguarded = checked({}, { nodes: { n1: facts(1) } });
        expect(unguarded).toHaveProperty("identity", "");
        expect(checked(unguarded, { nodes: { n1: facts(1) }, identity: "uid-1" }).identity).toBe("uid-1");
    });

    test("another one under the same name makes it unusable, with the line that says it was rebuilt", () => {
        expect(checked(olds, other)).toMatchObject({
            nodes: `n1 ${facts(1)}`,
            identity: "uid-1",
            kubeconfig: "kubeconfig-1",
            unusable: "cluster hub: another cluster answers (kube-system uid-2) than the recorded one (uid-1)",
            unusableFix:
                'Correct its kubeconfig; if the cluster was rebuilt, set rebuilt: "uid-2" on it, or KILO_CLUSTERMESH_REBUILT=hub=uid-2 for one run',
            unusableSince: NOW,
        });
    });

    test("another one is taken where the user says that the cluster was rebuilt, and the old nodes are dropped", () => {
        const rebuilt = checked(olds, { ...other, rebuilt: "uid-2" });
        expect(rebuilt).toMatchObject({ nodes: `n9 ${facts(9)}`, identity: "uid-2", kubeconfig: "kubeconfig-2" });
        expect(rebuilt).not.toHaveProperty("unusable");
        expect(rebuilt).not.toHaveProperty("rebuilt");
        expect(checked(olds, { ...other, nodes: {}, rebuilt: "uid-2" }).nodes).toBe("");
    });

    test("a line that names a third cluster changes nothing", () => {
        expect(checked(olds, { ...other, rebuilt: "uid-3" }).unusable).toContain("another cluster answers");
        expect(checked(olds, { nodes: { n1: facts(1) }, identity: "uid-1", rebuilt: "uid-2" })).not.toHaveProperty(
            "unusable",
        );
    });

    test("of which another member has the very same makes the one unusable that has it not recorded", () => {
        const twin = { nodes: { n1: facts(1) }, identity: "uid-1", twin: "spoke" };
        expect(checked({}, twin)).toMatchObject({
            unusable: "cluster hub: it is the same cluster as spoke (kube-system uid-1)",
            unusableFix: "Remove one of the two from the mesh, or correct its kubeconfig",
        });
        expect(checked(olds, twin)).not.toHaveProperty("unusable");
        expect(checked(olds, twin)).not.toHaveProperty("twin");
    });

    test("that was recorded and cannot be read any more is a warning, and the cluster is taken for the recorded one", () => {
        const told = memoryHost([]);
        const { inputs: news } = member.check(told, olds, inputs({ nodes: { n2: facts(2) } }));
        expect(news).toMatchObject({ identity: "uid-1", nodes: `n2 ${facts(2)}` });
        expect(told.warnings.join()).toContain("get namespaces/kube-system is not allowed");
    });

    test("is kept while nothing is seen", () => {
        expect(checked(olds, { unreachable: "timed out" }).identity).toBe("uid-1");
        expect(checked(olds, { unusable: "401", unusableFix: "x", identity: "uid-2" }).identity).toBe("uid-1");
    });
});

describe("a member that was never seen", () => {
    test("is recorded as such until it is", () => {
        const silent = checked({}, { unreachable: "timed out" });
        expect(silent.neverSeen).toBe(true);
        expect(checked(silent, { unusable: "401", unusableFix: "x" }).neverSeen).toBe(true);
        expect(checked(silent, { nodes: {} }).neverSeen).toBe(false);
        const seen = checked({}, { nodes: {} });
        expect(checked(seen, { unreachable: "timed out" }).neverSeen).toBe(false);
    });

    test("is deleted without any contact", async () => {
        const { id, outs } = await member.create(host, checked({}, { unreachable: "timed out" }));
        const hub = new MemoryCluster("hub");
        hub.fault = () => ({ kind: "unreachable" });
        await member.delete(memoryHost([hub]), id, outs);
        expect(hub.log).toEqual([]);
    });
});

describe("deleting a member", () => {
    const spec = { allowedIPs: ["10.2.1.0/24"], publicKey: key(1) };
    const outs = inputs({ claim: "claim-1" });

    test("sweeps up what an interrupted run left under its claim, and nothing else", async () => {
        const hub = new MemoryCluster("hub");
        hub.put("ours", { "kilo-clustermesh.io/claim": "claim-1" }, spec);
        const foreign = hub.put("theirs", { "kilo-clustermesh.io/claim": "claim-2" }, spec);
        await member.delete(memoryHost([hub]), "edge/hub/claim-1", outs);
        expect([...hub.peers.values()]).toEqual([foreign]);
    });

    test("fails while its cluster does not answer, unless the debt is written off", async () => {
        const hub = new MemoryCluster("hub");
        hub.fault = () => ({ kind: "unreachable" });
        await expect(member.delete(memoryHost([hub]), "id", outs)).rejects.toThrow("the remaining peers in hub");
        await expect(
            member.delete(memoryHost([hub]), "id", { ...outs, deleteUnreachable: true }),
        ).resolves.toBeUndefined();
    });

    test("does not succeed over a peer that a finalizer holds, and says who", async () => {
        const hub = new MemoryCluster("hub");
        const peer = hub.put("ours", { "kilo-clustermesh.io/claim": "claim-1" }, spec);
        hub.peers.set("ours", { ...peer, metadata: { ...peer.metadata, finalizers: ["example.com/hold"] } });
        await expect(member.delete(memoryHost([hub]), "id", outs)).rejects.toThrow(
            "peers in hub are still there, held by finalizers: ours (example.com/hold)",
        );
    });

    test("touches nothing in another cluster than the recorded one", async () => {
        const hub = new MemoryCluster("hub");
        hub.uid = "uid-2";
        hub.put("ours", { "kilo-clustermesh.io/claim": "claim-1" }, spec);
        await expect(
            member.delete(memoryHost([hub], { KILO_CLUSTERMESH_DELETE_UNREACHABLE: "true" }), "id", {
                ...outs,
                identity: "uid-1",
            }),
        ).rejects.toThrow("leads to another cluster (uid-2) than the recorded one (uid-1)");
        expect(hub.peers.size).toBe(1);
    });
});

test("a refresh keeps what is recorded", async () => {
    const { id, outs } = await member.create(host, checked({}, { nodes: { n1: facts(1) } }));
    expect(await member.read(host, id, outs)).toEqual({ id, props: outs });
});
