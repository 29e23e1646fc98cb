import { assess, type PeerView } from "../../../cli/assess";
import { planReport } from "../../../cli/plan/report";
import { type LinkView, statusReport } from "../../../cli/status/report";
import { CLAIM_LABEL, MESH_LABEL, SOURCE_LABEL } from "../../../provider/values/labels";
import { publicKey } from "../../../tools/clusters/node-spec";
import { runCli } from "./support/run-cli";
import { annotated, dead, healthy, livePeer, locked, type Scenario, withCluster } from "./support/scenario";

const look = ({ mesh, sight }: Scenario) => assess(mesh, sight);

const peerIn = (scenario: Scenario, target: string, name: string): PeerView | undefined =>
    look(scenario).peers.find((peer) => peer.target === target && peer.name === name);

const link = (scenario: Scenario, source: string, target: string): LinkView | undefined =>
    statusReport(look(scenario)).links.find((each) => each.source === source && each.target === target);

const NAME = "global--berlin--berlin-n1";

describe("which peers are the mesh's own, without its state", () => {
    const inHub = (change: (peer: ReturnType<typeof livePeer>) => ReturnType<typeof livePeer>): Scenario =>
        withCluster(healthy(), "hub", (sight) => ({
            ...sight,
            peers: sight.peers.map((peer) => (peer.name === NAME ? change(peer) : peer)),
        }));

    test("a peer without labels, but with the name and key of a node, is recognised as drift", () => {
        const stripped = inHub((peer) => ({ ...peer, labels: {} }));
        expect(peerIn(stripped, "hub", NAME)).toMatchObject({ state: "drifted", why: "its labels are missing" });
        expect(peerIn(stripped, "hub", NAME)?.unclaimed).toBeUndefined();
    });

    test("a peer whose source label was changed is drift, not healthy", () => {
        const changed = inHub((peer) => ({ ...peer, labels: { ...peer.labels, [SOURCE_LABEL]: "tokyo" } }));
        expect(peerIn(changed, "hub", NAME)).toMatchObject({ state: "drifted", why: "its labels were changed" });
    });

    test("an operator's peer, with the mesh's labels and no claim, counts, and the plan says that it has none", () => {
        const labels = { [MESH_LABEL]: "global", [SOURCE_LABEL]: "berlin" };
        const operator = inHub((peer) => ({ ...peer, labels, annotations: {} }));
        expect(peerIn(operator, "hub", NAME)).toMatchObject({ state: "present", unclaimed: true });
        expect(link(operator, "berlin", "hub")?.state).toBe("healthy");
    });

    test("peers of two stacks of one name all count: which of them is yours, only their state knows", () => {
        const other = { [MESH_LABEL]: "global", [SOURCE_LABEL]: "berlin", [CLAIM_LABEL]: "of-another" };
        const two = inHub((peer) => ({ ...peer, labels: other }));
        expect(peerIn(two, "hub", NAME)).toMatchObject({ state: "present" });
        expect(peerIn(two, "hub", NAME)?.unclaimed).toBeUndefined();
    });

    test("a peer with the claim of a member that the mesh no longer has is taken over, and shown as a change", () => {
        const replaced = inHub((peer) => ({ ...peer, labels: { ...peer.labels, [CLAIM_LABEL]: "replaced" } }));
        expect(peerIn(replaced, "hub", NAME)).toMatchObject({
            state: "drifted",
            why: "it is of a member that was renamed or replaced",
        });
    });

    test("a peer of another mesh, or of nobody, under our name is not ours: its node is left out", () => {
        const spec = { allowedIPs: ["10.99.0.1/32"], publicKey: publicKey("x", "y"), persistentKeepalive: 25 };
        for (const labels of [{ [MESH_LABEL]: "other", [SOURCE_LABEL]: "berlin" }, {}]) {
            const foreign = inHub((peer) => ({ ...peer, labels, annotations: {}, spec }));
            expect(peerIn(foreign, "hub", NAME)).toBeUndefined();
            const report = statusReport(look(foreign));
            expect(report.skipped).toMatchObject([{ node: "berlin-n1", target: "hub", reason: "PeerNameForeign" }]);
            expect(report.healthy).toBe(false);
        }
    });

    test("a stranger without the mesh's labels is left alone, whatever its name", () => {
        const stranger = livePeer("global--paris--laptop", {
            labels: {},
            spec: { allowedIPs: ["10.99.0.1/32"], publicKey: publicKey("x", "laptop"), persistentKeepalive: 25 },
        });
        const scenario = withCluster(healthy(), "hub", (found) => ({ ...found, peers: [...found.peers, stranger] }));
        expect(statusReport(look(scenario)).healthy).toBe(true);
    });
});

describe("what a stack would keep is not called superfluous", () => {
    test.each([
        ["silent", dead],
        ["unusable", locked],
    ] as const)("peers of a cluster that is %s", (state, scenario) => {
        expect(peerIn(scenario(), "hub", "global--tokyo--tokyo-n1")).toMatchObject({
            state: "kept",
            why: `tokyo is ${state}`,
        });
        const report = planReport(look(scenario()));
        expect(report.clusters.map((cluster) => cluster.state)).toEqual(["seen", "seen", state]);
        expect(report.targets.map((target) => target.state)).toEqual(["seen", "seen", state]);
        const actions = report.targets.map(({ target, counts }) => ({ target, ...counts }));
        expect(actions).toEqual([
            { target: "hub", create: 0, change: 0, delete: 0, unchanged: 3, keep: 3, unknown: 0 },
            { target: "berlin", create: 0, change: 0, delete: 0, unchanged: 3, keep: 3, unknown: 0 },
            { target: "tokyo", create: 0, change: 0, delete: 0, unchanged: 0, keep: 0, unknown: 6 },
        ]);
        expect(report.complete).toBe(false);
    });

    test("the peer of a node whose Kilo annotations are gone for a moment", () => {
        const restarting = withCluster(healthy(), "berlin", (sight) => ({
            ...sight,
            nodes: sight.nodes.map((node, i) => (i === 1 ? { ...node, metadata: { name: "berlin-n2" } } : node)),
        }));
        expect(peerIn(restarting, "hub", "global--berlin--berlin-n2")).toMatchObject({
            state: "kept",
            why: "facts of berlin-n2 are missing or malformed",
        });
        expect(link(restarting, "berlin", "hub")).toMatchObject({ state: "degraded", extra: 0 });
    });

    test("the peer of a location with a node that Kilo is about to bring back", () => {
        const located = healthy({
            node: Object.fromEntries(
                ["berlin-n1", "berlin-n2", "berlin-n3"].map((name) => [name, { granularity: "location" }]),
            ),
        });
        const restarting = withCluster(located, "berlin", (sight) => ({
            ...sight,
            nodes: sight.nodes.map(({ metadata, ...node }) => ({ ...node, metadata: { name: metadata!.name! } })),
        }));
        expect(peerIn(located, "hub", "global--berlin--location-default")).toMatchObject({ state: "present" });
        expect(peerIn(restarting, "hub", "global--berlin--location-default")).toMatchObject({ state: "kept" });
    });

    test("peers of a cluster that lists no nodes, unless it may be empty", () => {
        const empty = (scenario: Scenario) => withCluster(scenario, "berlin", (sight) => ({ ...sight, nodes: [] }));
        expect(peerIn(empty(healthy()), "hub", NAME)).toMatchObject({
            state: "kept",
            why: "berlin has no node that Kilo has set up",
        });
        expect(peerIn(empty(healthy({ specs: { berlin: { allowEmpty: true } } })), "hub", NAME)?.state).toBe("extra");
    });

    test("the peer of a node that is really gone is superfluous", () => {
        const gone = withCluster(healthy(), "berlin", (sight) => ({ ...sight, nodes: sight.nodes.slice(1) }));
        expect(peerIn(gone, "hub", NAME)).toMatchObject({ state: "extra", why: "no node of berlin needs it" });
    });
});

describe("an endpoint that the target observed", () => {
    const observed = withCluster(healthy(), "hub", (sight) => ({
        ...sight,
        nodes: sight.nodes.map((node) =>
            annotated(node, {
                "kilo.squat.ai/discovered-endpoints": JSON.stringify({
                    [publicKey("berlin", "berlin-n1")]: { IP: "203.0.113.9", Port: 40_000, Zone: "" },
                }),
            }),
        ),
    }));

    test("is a change to come, not drift: the mesh stays in place", () => {
        expect(peerIn(observed, "hub", NAME)).toMatchObject({ state: "moved", handshake: true });
        expect(link(observed, "berlin", "hub")).toMatchObject({ state: "in place", drifted: 0 });
        expect(statusReport(look(observed))).toMatchObject({ inPlace: true, healthy: false });
    });

    test("is what the next up would write", () => {
        const [hub] = planReport(look(observed), "hub").targets;
        expect(hub?.counts).toMatchObject({ change: 1, unchanged: 5 });
        expect(hub?.peers.find(({ name }) => name === NAME)?.wanted).toContain("203.0.113.9:40000");
    });

    test("tells which peers had a handshake", () => {
        expect(link(observed, "berlin", "hub")).toMatchObject({ present: 3, handshakes: 1 });
        expect(link(observed, "tokyo", "hub")).toMatchObject({ present: 3, handshakes: 0 });
    });
});

test("clusters that the topology does not link have no link to report", () => {
    const report = statusReport(look(healthy({ topology: { hubs: ["hub"] } })));
    expect(report.links.map(({ source, target }) => `${source} ${target}`)).toEqual([
        "berlin hub",
        "hub berlin",
        "hub tokyo",
        "tokyo hub",
    ]);
    expect(report.healthy).toBe(true);
});

describe("annotations that are gone for a moment", () => {
    const restarting = withCluster(healthy(), "berlin", (found) => ({
        ...found,
        nodes: found.nodes.map((node, i) => (i === 0 ? { ...node, metadata: { name: "berlin-n1" } } : node)),
    }));

    /** Runs `plan` on clusters that look like this, one look after the other. */
    const planOf = async (...looks: readonly Scenario[]) => {
        const waits: (number | undefined)[] = [];
        const { out } = await runCli(["plan"], healthy(), {
            look: async (_, { afterSeconds }) => looks[Math.min(waits.push(afterSeconds), looks.length) - 1]!.sight,
        });
        return { waits, out };
    };

    test("move no service range: the command looks again a moment later", async () => {
        const { waits, out } = await planOf(restarting, healthy());
        expect(waits).toEqual([0, 5]);
        expect(out).toContain("0 to change");
    });

    test("count when a second look still lacks them", async () => {
        const { waits, out } = await planOf(restarting);
        expect(waits).toEqual([0, 5]);
        expect(out).toContain("4 to change");
    });

    test("cost nothing where all is settled: one look is enough", async () => {
        expect((await planOf(healthy())).waits).toEqual([0]);
    });
});
