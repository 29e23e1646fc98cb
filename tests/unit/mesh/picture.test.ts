import { renderGraph } from "../../../provider/mesh/report/graph";
import { node, plan } from "./fixtures";

describe("the picture", () => {
    test("shows clusters, links and how many peers go which way", () => {
        const clusters = [
            { name: "hub", segments: 3 },
            { name: "edge", segments: 1 },
            { name: "dark", segments: 0 },
            { name: "far", segments: 3 },
        ];
        const links = [
            { a: "hub", b: "edge", toB: 3, toA: 1 },
            { a: "far", b: "hub", toB: 3, toA: 3 },
            { a: "dark", b: "hub", toB: 0, toA: 3 },
            { a: "edge", b: "far", toB: 1, toA: 0 },
            { a: "dark", b: "edge", toB: 0, toA: 0 },
            { a: "hub", b: "unknown", toB: 1, toA: 1 },
        ];
        const text = [
            "flowchart LR",
            '    c0["dark<br/>0 segments"]',
            '    c1["edge<br/>1 segment"]',
            '    c2["far<br/>3 segments"]',
            '    c3["hub<br/>3 segments"]',
            "    c0 -.- c1",
            "    c3 -->|3| c0",
            "    c1 -->|1| c2",
            "    c2 <-->|3| c3",
            '    c3 <-->|"3 / 1"| c1',
            "",
        ].join("\n");
        expect(renderGraph("m", clusters, links)).toBe(text);
        expect(renderGraph("m", [...clusters].reverse(), [...links].reverse())).toBe(text);
    });

    test("of a link with peers both ways counts from the first to the second", () => {
        const planned = plan([node({ seed: 1 })], {
            nodes: { dst: [node({ seed: 2, pods: ["10.2.1.0/24"] }), node({ seed: 3, pods: ["10.2.2.0/24"] })] },
        });
        expect(planned.graph).toContain('    c0 <-->|"2 / 1"| c1\n');
    });

    test("is in the plan", () => {
        expect(plan([node()]).graph).toBe(
            'flowchart LR\n    c0["dst<br/>0 segments"]\n    c1["src<br/>1 segment"]\n    c1 -->|1| c0\n',
        );
    });

    test("of a large mesh stays within what Mermaid draws", () => {
        const clusters = Array.from({ length: 200 }, (_, i) => ({ name: `c${i}`, segments: 1 }));
        const links = clusters.flatMap((a, i) =>
            clusters.slice(i + 1).map((b) => ({ a: a.name, b: b.name, toB: 1, toA: 1 })),
        );
        const text = renderGraph("big", clusters, links);
        expect(text.split("\n").filter((line) => line.includes("---"))).toHaveLength(200);
        expect(text).toContain('    mesh(("big: 19900 links"))\n');
        expect(text.length).toBeLessThan(50_000);
        expect(renderGraph("big", clusters, links.slice(0, 400))).not.toContain("mesh((");
        const alone = renderGraph("big", [...clusters, { name: "alone", segments: 1 }], links);
        expect(alone.split("\n").filter((line) => line.includes("---"))).toHaveLength(200);
    });

    test("of an enormous one says how many are not drawn", () => {
        const clusters = Array.from({ length: 402 }, (_, i) => ({ name: `c${i}`, segments: 1 }));
        const text = renderGraph("m", clusters, []);
        expect(text).toContain('    more["and 2 more clusters"]\n');
        expect(text.split("\n")).toHaveLength(1 + 400 + 1 + 1);
        expect(renderGraph("m", clusters.slice(0, 400), [])).not.toContain("more");
    });

    test("no name can end its label", () => {
        const name = '"]; click x "javascript:alert(1)" %% \n😀';
        const text = renderGraph(
            name,
            [
                { name, segments: 1 },
                { name: "b", segments: 1 },
            ],
            [],
        );
        expect(text.split("\n")).toHaveLength(4);
        expect(text).toContain(
            'c0["#34;#93;#59; click x #34;javascript#58;alert#40;1#41;#34; #37;#37; #10;#128512;<br/>1 segment"]',
        );
        expect(renderGraph("m", [{ name: "x".repeat(99), segments: 1 }], [])).toContain(`["${"x".repeat(64)}<br/>`);
    });
});
