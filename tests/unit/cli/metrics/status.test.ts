import { expectGolden } from "../support/golden";
import { runCli } from "../support/run-cli";
import { dead, drifted, healthy, locked } from "../support/scenario";
import { staleLeader } from "../support/tunnel-scenarios";
import { readExposition, valuesOf } from "./exposition";

describe.each([
    ["healthy", healthy, 0],
    ["dead", dead, 2],
    ["locked", locked, 2],
    ["drift", drifted, 2],
    ["stale-leader", staleLeader, 2],
] as const)("of a mesh that is %s", (name, scenario, expected) => {
    test("status --format prometheus prints the metrics, with the exit code of status", async () => {
        const { code, out, err } = await runCli(["status", "--format", "prometheus"], scenario());
        expectGolden(`status-${name}.prom`, out);
        expect({ code, err }).toEqual({ code: expected, err: "" });
        expect(Object.keys(valuesOf(readExposition(out))).length).toBeGreaterThan(10);
    });
});

test("with --target only that cluster's peers are counted, and every member has its state", async () => {
    const { out } = await runCli(["status", "--format", "prometheus", "--target", "hub"], healthy());
    const families = readExposition(out);
    const clusters = (name: string): string[] => [
        ...new Set(families[name]?.samples.map(({ labels }) => labels.cluster!)),
    ];
    expect(clusters("kilo_clustermesh_peers_wanted")).toEqual(["hub"]);
    expect(clusters("kilo_clustermesh_member_state").length).toBeGreaterThan(1);
});

test("a format of graph is none of status, and the other way round", async () => {
    const status = await runCli(["status", "--format", "svg"], healthy());
    expect(status).toMatchObject({ code: 1, err: expect.stringContaining('--format cannot be "svg"') });
    const graph = await runCli(["graph", "--format", "prometheus"], healthy());
    expect(graph).toMatchObject({ code: 1, err: expect.stringContaining("Use one of mermaid, dot, svg") });
});
