import { assess } from "../../../cli/assess";
import { type LinkView, statusReport } from "../../../cli/status/report";
import { runCli } from "./support/run-cli";
import { annotated, healthy, NOW, type Scenario, withCluster } from "./support/scenario";
import { blocked, noWayBack, passiveNat, silenced, staleLeader } from "./support/tunnel-scenarios";

const status = ({ mesh, sight }: Scenario) => statusReport(assess(mesh, sight));

const link = (scenario: Scenario, source: string, target: string): LinkView =>
    status(scenario).links.find((each) => each.source === source && each.target === target)!;

describe("tunnels are counted: each node of the target that has tunnels, with each peer", () => {
    test("one node that works does not hide one that does not", () => {
        expect(link(blocked(), "berlin", "hub")).toMatchObject({
            state: "in place",
            handshakes: 3,
            tunnels: { state: "partly seen", seen: 6, total: 9 },
        });
        expect(link(blocked(), "berlin", "hub").tunnels?.silent).toEqual(
            [1, 2, 3].map((n) => ({ peer: `global--berlin--berlin-n${n}`, nodes: ["hub-n2"] })),
        );
        expect(link(blocked(), "hub", "berlin").tunnels?.silent).toEqual([{ peer: "global--hub--hub-n2" }]);
    });

    test("of a location only the leader has tunnels", () => {
        const node = Object.fromEntries([1, 2, 3].map((n) => [`hub-n${n}`, { granularity: "location" }]));
        const located = silenced(healthy({ node }), (each) => ["hub-n2", "hub-n3"].includes(each));
        expect(link(located, "berlin", "hub").tunnels).toEqual({ state: "seen", seen: 3, total: 3, silent: [] });
    });

    test("a node that is left out of the mesh has none to expect", () => {
        const excluded = silenced(
            healthy({ specs: { hub: { excludeNodes: ["hub-n3"] } } }),
            (node) => node === "hub-n3",
        );
        expect(link(excluded, "berlin", "hub")).toMatchObject({ state: "healthy", tunnels: { seen: 6, total: 6 } });
    });
});

describe("a link is never called healthy", () => {
    test("where none of its tunnels was ever seen", () => {
        expect(link(passiveNat(), "hub", "tokyo")).toMatchObject({ state: "in place", tunnels: { state: "not seen" } });
        expect(status(passiveNat())).toMatchObject({ healthy: false, inPlace: true });
    });

    test("where a node of either end is stale", () => {
        const stale = withCluster(healthy(), "berlin", (found) => ({
            ...found,
            nodes: found.nodes.map((node, i) =>
                i === 2 ? annotated(node, { "kilo.squat.ai/last-seen": String(NOW - 61) }) : node,
            ),
        }));
        for (const [source, target] of [
            ["berlin", "hub"],
            ["hub", "berlin"],
        ] as const) {
            expect(link(stale, source, target)).toMatchObject({ state: "in place", stale: ["berlin/berlin-n3"] });
        }
        expect(link(stale, "hub", "tokyo").state).toBe("healthy");
        expect(link(staleLeader(), "berlin", "hub").state).toBe("degraded");
    });

    test("where the peers of the way back are missing", () => {
        expect(link(noWayBack(), "berlin", "hub").state).toBe("in place");
        expect(link(noWayBack(), "hub", "berlin").state).toBe("degraded");
    });
});

describe("status --wait", () => {
    /** Runs the command on clusters that look like this, one look after the other. */
    const waiting = async (seconds: string, ...looks: readonly Scenario[]) => {
        const pauses: (number | undefined)[] = [];
        const { code, out, err } = await runCli(["status", "--wait", seconds], healthy(), {
            look: async (_, { afterSeconds }) => looks[Math.min(pauses.push(afterSeconds), looks.length) - 1]!.sight,
        });
        return { code, pauses, err, headline: out.split("\n")[0] };
    };

    test("looks again until every tunnel was seen, and tells how far it is", async () => {
        const nothing = silenced(healthy(), () => true);
        const { code, pauses, err, headline } = await waiting("60", nothing, blocked(), healthy());
        expect({ code, pauses }).toEqual({ code: 0, pauses: [0, 5, 5] });
        expect(err).toBe("0 of 54 tunnels seen; 60 s left\n42 of 54 tunnels seen; 55 s left\n");
        expect(headline).toContain("54 of 54 tunnels seen");
    });

    test("does not wait where all is seen", async () => {
        expect(await waiting("60", healthy())).toMatchObject({ code: 0, pauses: [0], err: "" });
    });

    test("ends when the time is over, and the exit code says that some were not seen", async () => {
        const { code, pauses } = await waiting("12", blocked());
        expect({ code, pauses }).toEqual({ code: 2, pauses: [0, 5, 5, 2] });
    });

    test("is what makes tunnels count for the exit code", async () => {
        expect((await runCli(["status"], blocked())).code).toBe(0);
    });
});
