import { openView } from "../../../cli/watch/view";
import type { KubeNode } from "../../../provider/kilo/types";
import { knowledgeOf } from "../../../provider/observe/look";
import { nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";
import fc from "../../support/chance";

const SPEC = { name: "hub", podCIDRs: ["10.1.0.0/16"] };
const NOW = 1_767_225_600_000;

const nodes = (lastSeen: number): readonly KubeNode[] =>
    nodeSpecs({ name: "hub" }, 3, { lastSeen }).map((spec) => nodeObject({ name: "hub", index: 1 }, spec) as KubeNode);

/** A member that was heard of: nodes that checked in now, and no peers. */
function heard() {
    const view = openView(SPEC);
    view.onNodes({ kind: "listed", items: nodes(NOW / 1000), at: NOW }, NOW);
    view.onPeers({ kind: "listed", items: [], at: NOW }, NOW);
    view.onIdentity("uid");
    return view;
}

const withAnnotation = (node: KubeNode, key: string, value: string): KubeNode => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...node.metadata?.annotations, [`kilo.squat.ai/${key}`]: value } },
});

test("heartbeats alone are no change, in whatever order they come", () => {
    const beat = fc.record({ node: fc.nat(2), after: fc.integer({ min: 0, max: 19 }) });
    fc.assert(
        fc.property(fc.array(beat, { maxLength: 60 }), (beats) => {
            const view = heard();
            const last = [0, 0, 0];
            let seconds = 0;
            for (const { node, after } of beats) {
                seconds += after;
                last[node] = seconds;
                // whoever would be late checks in as well
                const due = last.flatMap((at, index) => (index === node || seconds - at > 40 ? [index] : []));
                for (const index of due) {
                    last[index] = seconds;
                    const item = nodes(NOW / 1000 + seconds)[index]!;
                    expect(view.onNodes({ kind: "put", item }, NOW + seconds * 1000)).toBe(false);
                }
                expect(view.onTime(NOW + seconds * 1000)).toBe(false);
            }
        }),
    );
});

test("a heartbeat brings its time, and all else of the node stays the object that it was", () => {
    const view = heard();
    const nodeNow = (): KubeNode => {
        const found = view.observation(NOW);
        return found?.ok === true ? found.nodes[0]! : {};
    };
    const before = nodeNow();
    view.onNodes({ kind: "put", item: nodes(NOW / 1000 + 30)[0]! }, NOW + 30_000);
    expect(nodeNow()).toEqual(nodes(NOW / 1000 + 30)[0]);
    expect(nodeNow().spec).toBe(before.spec);
    expect(nodeNow().status).toBe(before.status);
});

test("a heartbeat without a time, as after a restart of Kilo, takes the time away", () => {
    const view = heard();
    const { metadata, ...rest } = nodes(NOW / 1000)[0]!;
    const { "kilo.squat.ai/last-seen": _, ...annotations } = metadata!.annotations!;
    const item = { ...rest, metadata: { ...metadata, annotations } };
    expect(view.onNodes({ kind: "put", item }, NOW)).toBe(false);
    const found = view.observation(NOW);
    expect(found?.ok === true ? found.nodes[0] : undefined).toEqual(item);
});

test("a node that becomes stale is a change, once, and so is one that checks in again", () => {
    const view = heard();
    expect(view.onTime(NOW + 59_000)).toBe(false);
    expect(view.onTime(NOW + 60_000)).toBe(true);
    expect(view.onTime(NOW + 61_000)).toBe(false);
    expect(view.onNodes({ kind: "put", item: nodes(NOW / 1000 + 70)[0]! }, NOW + 70_000)).toBe(true);
});

test("the clock of a cluster, told in whole seconds and late, is never taken for later than it is, and ever more nearly", () => {
    const answer = fc.record({ after: fc.integer({ min: 1, max: 400 }), late: fc.nat(900), peers: fc.boolean() });
    const difference = fc.integer({ min: -90_000, max: 90_000 });
    fc.assert(
        fc.property(difference, fc.array(answer, { minLength: 1, maxLength: 20 }), (ahead, answers) => {
            const view = openView(SPEC);
            view.onIdentity("uid");
            view.onNodes({ kind: "listed", items: [], at: undefined }, NOW);
            view.onPeers({ kind: "listed", items: [], at: undefined }, NOW);
            let [now, behind] = [NOW, Number.POSITIVE_INFINITY];
            for (const { after, late, peers } of answers) {
                now += after + late;
                const at = Math.floor((now - late + ahead) / 1000) * 1000;
                if (peers) view.onPeers({ kind: "alive", at }, now);
                else view.onNodes({ kind: "alive", at }, now);
                behind = Math.min(behind, now + ahead - at);
            }
            const found = view.observation(now);
            expect(found?.ok === true ? found.at : undefined).toBe(Math.floor((now + ahead - behind) / 1000));
        }),
    );
});

test("a clock that is set back is followed", () => {
    const view = heard();
    view.onNodes({ kind: "alive", at: NOW - 30_000 }, NOW);
    expect(view.onTime(NOW + 60_000)).toBe(false);
    expect(view.onTime(NOW + 90_000)).toBe(true);
});

test.each([
    ["a new key", (node: KubeNode) => withAnnotation(node, "key", "bmV3IGtleSBuZXcga2V5IG5ldyBrZXkgbmV3IGtleSE=")],
    ["a new endpoint", (node: KubeNode) => withAnnotation(node, "endpoint", "192.0.2.77:51820")],
    ["an observed endpoint", (node: KubeNode) => withAnnotation(node, "discovered-endpoints", "{}")],
    ["another pod CIDR", (node: KubeNode): KubeNode => ({ ...node, spec: { podCIDR: "10.1.99.0/24" } })],
])("%s is a change", (_, change) => {
    const view = heard();
    expect(view.onNodes({ kind: "put", item: change(nodes(NOW / 1000)[1]!) }, NOW)).toBe(true);
});

test("a list that says what was known is no change; one that lacks a node is", () => {
    const view = heard();
    expect(view.onNodes({ kind: "listed", items: nodes(NOW / 1000 + 5), at: NOW + 5_000 }, NOW + 5_000)).toBe(false);
    expect(view.onNodes({ kind: "listed", items: nodes(NOW / 1000 + 5).slice(1), at: NOW }, NOW)).toBe(true);
});

test("whatever the events, it knows what a list would say", () => {
    const event = fc.record({ node: fc.nat(2), what: fc.constantFrom("put", "gone", "key"), at: fc.nat(50) });
    fc.assert(
        fc.property(fc.array(event, { maxLength: 30 }), (events) => {
            const view = heard();
            const there = new Map(nodes(NOW / 1000).map((node) => [node.metadata!.name!, node]));
            for (const { node, what, at } of events) {
                const item =
                    what === "key"
                        ? withAnnotation(nodes(NOW / 1000 + at)[node]!, "key", `key-${at}`)
                        : nodes(NOW / 1000 + at)[node]!;
                if (what === "gone") there.delete(item.metadata!.name!);
                else there.set(item.metadata!.name!, item);
                view.onNodes({ kind: what === "gone" ? "gone" : "put", item }, NOW);
            }
            const listed = {
                ok: true,
                nodes: [...there.values()],
                peers: [],
                at: NOW / 1000,
                identity: "uid",
            } as const;
            expect(knowledgeOf(SPEC, view.observation(NOW)!)).toEqual(knowledgeOf(SPEC, listed));
        }),
    );
});

test("what was heard before a failure counts again only once all of it was heard again", () => {
    const view = heard();
    const failure = { ok: false, state: "silent", kind: "unreachable", message: "gone", fix: "Wait for it" } as const;
    expect(view.onFailure(failure)).toBe(true);
    expect(view.onFailure(failure)).toBe(false);
    view.onNodes({ kind: "listed", items: [], at: NOW }, NOW);
    expect(view.state).toBe("silent");
    view.onIdentity("uid");
    view.onPeers({ kind: "listed", items: [], at: NOW }, NOW);
    expect(view.state).toBe("seen");
});
