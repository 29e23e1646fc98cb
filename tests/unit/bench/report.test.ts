import { readFileSync } from "node:fs";
import path from "node:path";
import { judge } from "../../../bench/support/bars";
import { report, withResults } from "../../../bench/support/report";
import { type Case, type Results, readResults, thisMachine } from "../../../bench/support/results";
import { figure, short, table } from "../../../bench/support/table";

const BENCH = path.resolve(__dirname, "../../../bench");

const results = (scenario: Results["scenario"], ...cases: Case[]): Results => ({
    scenario,
    machine: { cores: 2, memoryGB: 8, platform: "linux x64", node: "20.0.0" },
    cases,
});

describe("figures and tables", () => {
    test("a figure is the median with its spread, three digits at most", () => {
        expect(figure([1.234, 1.1, 1.5], "×")).toBe("1.23 × (1.1–1.5)");
        expect(figure([12_345.6], " s")).toBe("12,346 s");
        expect(figure([2, 2, 2])).toBe("2");
        expect(figure([])).toBe("");
        expect([0.004, 99.96, 100.4].map(short)).toEqual(["0", "100", "100"]);
    });

    test("a table is Markdown", () => {
        expect(table(["a", "b"], [["x", "1"]])).toBe("| a | b |\n| --- | ---: |\n| x | 1 |");
    });
});

describe("bars", () => {
    const naive = (up: number[]) =>
        results("naive", { name: "1000", facts: { peers: 1000 }, series: { up, naive: [100, 100, 100] } });

    test("are judged by the median of the ratios", () => {
        const [met] = judge([naive([4, 4, 50])]);
        expect(met?.verdict).toMatchObject({ measured: [25, 25, 2], met: true });
        const [missed] = judge([naive([4, 6, 50])]);
        expect(missed?.verdict.met).toBe(false);
    });

    test("of sizes that were not measured are left out rather than passed", () => {
        expect(judge([])).toEqual([]);
        expect(judge([results("naive")])).toEqual([]);
        const memory = (peers: number) => [
            { name: "idle", facts: { peers: 5 }, series: { provider: [190] } },
            { name: "large", facts: { peers }, series: { provider: [400] } },
        ];
        expect(judge([results("memory", ...memory(20_000))])[0]?.verdict).toMatchObject({ measured: [210], met: true });
        expect(judge([results("memory", ...memory(20))])).toEqual([]);
        const tiny = { name: "3 × 3", facts: { expectedWrites: 2 }, series: { writes: [2] } };
        expect(judge([results("one-node", tiny)])).toEqual([]);
    });

    test("a watch is judged by what it takes beyond the quiet time", () => {
        const watch = (followed: number[]) =>
            results("watch", {
                name: "a node joins",
                facts: { quietMs: 1000 },
                series: { followed, up: [4000, 2000] },
            });
        expect(judge([watch([5000, 4000])])[0]?.verdict).toMatchObject({ measured: [1, 1.5], met: true });
        expect(judge([watch([7500, 5000])])[0]?.verdict.met).toBe(false);
        const requests = (request: number[]) =>
            results("watch-requests", { name: "3 × 3", facts: { quietMs: 1000 }, series: { request, call: [5, 5] } });
        expect(judge([requests([1050, 1040])])[0]?.verdict).toMatchObject({ measured: [10, 8], met: true });
        expect(judge([requests([1060, 1050])])[0]?.verdict.met).toBe(false);
    });

    test("a watch at rest is judged by its runs, its CPU and the highest memory of all looks", () => {
        const idle = (runs: number, memory: number[]) =>
            results("watch-idle", { name: "200 × 20", facts: { runs }, series: { cpu: [4, 4], memory } });
        expect(judge([idle(0, [180, 190])]).map(({ verdict }) => verdict.met)).toEqual([true, true, true]);
        expect(judge([idle(1, [180, 210])]).map(({ verdict }) => verdict.met)).toEqual([false, true, false]);
    });

    test("one write too many misses the bar of one node", () => {
        const oneNode = (writes: number[]) =>
            results("one-node", { name: "10 × 100", facts: { expectedWrites: 9 }, series: { writes } });
        expect(judge([oneNode([9, 9, 9])])[0]?.verdict.met).toBe(true);
        expect(judge([oneNode([9, 10, 9])])[0]?.verdict.met).toBe(false);
    });

    test("one quadratic step between two sizes misses the bar of growth, however flat the others are", () => {
        const size = (targets: number, peers: number, up: number) => ({
            name: `${targets} × ${peers}`,
            facts: { targets, peers, objects: targets * peers },
            series: { empty: [2_000], up: [up] },
        });
        const sizes = (largest: number) =>
            judge([results("sizes", size(10, 100, 4_000), size(10, 1_000, 5_000), size(10, 4_000, largest))]);
        const grown = (largest: number) => sizes(largest).find(({ bar }) => bar.figure.startsWith("growth"))?.verdict;
        expect(grown(14_000)).toMatchObject({ measured: [expect.closeTo(1)], met: true });
        expect(grown(50_000)).toMatchObject({ measured: [expect.closeTo(2)], met: false });
    });

    test("any number of dead clusters must stay within one timeout", () => {
        const dead = (name: string, up: number) => ({
            name,
            facts: { timeoutMs: 10_000 },
            series: { healthy: [5_000], up: [up] },
        });
        expect(judge([results("dead", dead("1 of 10", 15_100), dead("9 of 10", 15_200))])[0]?.verdict.met).toBe(true);
        expect(judge([results("dead", dead("1 of 10", 15_100), dead("9 of 10", 25_200))])[0]?.verdict.met).toBe(false);
    });

    describe("of fleets", () => {
        const fleet = (clusters: number, up: number, more: { series?: object; facts?: object } = {}): Case => ({
            name: `${clusters} × 20`,
            facts: { clusters, timeoutMs: 10_000, nodeWrites: 1, ...more.facts },
            series: {
                empty: [2_000],
                up: [up],
                serial: [60_000],
                noop: [4_000],
                node: [4_400],
                dead: [14_000],
                programPeak: [200],
                providerPeak: [150],
                ...more.series,
            },
        });
        const verdict = (figure: string, ...cases: Case[]) =>
            judge([results("fleet", ...cases)]).find(({ bar }) => bar.figure.includes(figure))?.verdict;

        test("growth is judged from the smallest to the largest, and only if both were measured", () => {
            expect(verdict("growth", fleet(50, 12_000), fleet(400, 82_000))?.measured).toEqual([expect.closeTo(1)]);
            expect(verdict("growth", fleet(50, 12_000), fleet(400, 642_000))?.met).toBe(false);
            expect(verdict("growth", fleet(50, 12_000), fleet(200, 42_000))).toBeUndefined();
        });

        test("state counts as if every kubeconfig had 0.4 kB", () => {
            const facts = { stateBytes: 4_000_000, secretBytes: 2_400_000, kubeconfigBytes: 1_200 };
            expect(verdict("state per cluster", fleet(200, 20_000, { facts }))).toMatchObject({
                measured: [12_000],
                met: false,
            });
        });

        test("a second write for one node, and a second timeout for one dead spoke, miss their bars", () => {
            expect(verdict("writes when", fleet(200, 20_000))?.met).toBe(true);
            expect(verdict("writes when", fleet(200, 20_000, { facts: { nodeWrites: 2 } }))?.met).toBe(false);
            expect(verdict("is dead", fleet(200, 20_000))?.met).toBe(true);
            expect(verdict("is dead", fleet(200, 20_000, { series: { dead: [25_000] } }))?.met).toBe(false);
        });
    });
});

describe("the page of results", () => {
    const page = readFileSync(path.join(BENCH, "README.md"), "utf8");

    test("says exactly what the recorded results say", () => {
        expect(withResults(page, readResults(path.join(BENCH, "results")))).toBe(page);
    });

    test("changes nothing outside of its marks", () => {
        const changed = withResults(page, []);
        expect(page.startsWith(changed.slice(0, changed.indexOf("<!-- results")))).toBe(true);
        expect(page.endsWith(changed.slice(changed.indexOf("<!-- end of results")))).toBe(true);
    });

    test("a page without marks is an error, not lost results", () => {
        expect(() => withResults("# Benchmarks\n", [])).toThrow("no place for results");
    });

    test("describes the machine in general terms", () => {
        expect(Object.keys(thisMachine()).sort()).toEqual(["cores", "memoryGB", "node", "platform"]);
        expect(report([results("memory")])).toContain("2 cores and 8 GB, linux x64, Node 20.0.0");
    });
});
