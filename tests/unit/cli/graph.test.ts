import { dot } from "../../../cli/graph/dot";
import { xml } from "../../../cli/graph/escape";
import { edgeOf, layout } from "../../../cli/graph/layout";
import type { GraphModel } from "../../../cli/graph/model";
import { svg } from "../../../cli/graph/svg";
import fc from "../../support/chance";
import { runCli } from "./support/run-cli";
import { dead, drifted, healthy, locked } from "./support/scenario";

const HOSTILE = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
        "<script>alert(1)</script>",
        `"/><image href="x" onerror="alert(1)"/>`,
        "]]></style><svg onload=alert(1)>",
        "&#x3c;b&#x3e;",
        `"]; x -> y [label="`,
        "\\",
        '\\"',
        "a\nb",
        "\ufffe\uffff\u0000",
        "</title>",
    ),
);
const STATE = fc.constantFrom("healthy" as const, "in place" as const, "degraded" as const, "unknown" as const);

const MODEL: fc.Arbitrary<GraphModel> = fc.uniqueArray(HOSTILE, { minLength: 2, maxLength: 5 }).chain((names) =>
    fc.record({
        mesh: HOSTILE,
        summary: HOSTILE,
        boxes: fc.tuple(
            ...names.map((name) =>
                fc.record({
                    name: fc.constant(name),
                    state: STATE,
                    member: fc.constant("seen" as const),
                    lines: fc.array(HOSTILE, { maxLength: 2 }),
                    isHub: fc.boolean(),
                }),
            ),
        ),
        pairs: fc.constant(
            names.slice(1).map((name) => ({
                a: { cluster: names[0]!, state: "healthy" as const, label: name },
                b: { cluster: name, state: "unknown" as const, label: names[0]! },
            })),
        ),
    }),
);

const ELEMENTS = /<\/?(?:svg|title|style|defs|marker|path|rect|circle|g|text)\b/g;

test("no name can break out of the SVG: only our own elements, quotes in pairs, valid characters", () => {
    fc.assert(
        fc.property(MODEL, (model) => {
            const picture = svg(model);
            expect(picture.match(/</g)?.length).toBe(picture.match(ELEMENTS)?.length);
            const opened = picture.match(/<[a-z]/g)!.length;
            const closed = picture.match(/<\/|\/>/g)!.length;
            expect(closed).toBe(opened);
            expect(picture).not.toMatch(/\son\w+="/);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
            expect(picture).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
        }),
    );
});

test("escaped text reads as it was, once it is parsed", () => {
    expect(xml(`a<b> & "c" 'd'`)).toBe("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
});

test("no name can break out of the DOT text: every line is one statement, every quote is closed", () => {
    fc.assert(
        fc.property(MODEL, (model) => {
            const lines = dot(model).trimEnd().split("\n");
            expect(lines).toHaveLength(5 + model.boxes.length + 2 * model.pairs.length);
            for (const line of lines) {
                const outside = line.replace(/"(?:[^"\\]|\\.)*"/g, "S");
                expect(outside).toMatch(/^(digraph S \{|\}| {4}(graph|node|edge|c\d|c\d -> c\d) \[[\w=, S]*\];)$/);
            }
        }),
    );
});

test("boxes never overlap, for any number of clusters and hubs, and the picture stays the same", () => {
    const box = { width: 132, height: 56 };
    const gap = { width: 22, height: 20 };
    fc.assert(
        fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 6 }), (outer, inner) => {
            const items = (count: number, from: number) => Array.from({ length: count }, (_, i) => from + i);
            const placed = layout(items(outer, 0), items(inner, 100), box, gap);
            expect(placed).toHaveLength(outer + inner);
            for (const [i, a] of placed.entries()) {
                for (const b of placed.slice(i + 1)) {
                    expect(Math.abs(a.x - b.x) >= box.width || Math.abs(a.y - b.y) >= box.height).toBe(true);
                }
            }
            expect(layout(items(outer, 0), items(inner, 100), box, gap)).toEqual(placed);
        }),
        { numRuns: 60 },
    );
});

test("a link ends at the border of its box", () => {
    const box = { width: 100, height: 40 };
    expect(edgeOf({ x: 0, y: 0 }, { x: 300, y: 0 }, box, 0)).toEqual({ x: 50, y: 0 });
    expect(edgeOf({ x: 0, y: 0 }, { x: 0, y: -300 }, box, 0)).toEqual({ x: 0, y: -20 });
});

describe("the picture", () => {
    const draw = async (scenario = healthy()) => (await runCli(["graph", "--format", "svg"], scenario)).out;

    test("needs nothing from elsewhere", async () => {
        const picture = await draw();
        expect(picture.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
            /https?:|href|@import|url\((?!#)/,
        );
    });

    test("says how many nodes each cluster has and how many peers each link", async () => {
        const picture = await draw();
        expect(picture.match(/3 nodes · full/g)).toHaveLength(6);
        expect(picture.match(/>3 peers</g)).toHaveLength(6);
    });

    test("marks what is missing and what cannot be read", async () => {
        expect(await draw(drifted())).toContain("2 of 3");
        expect(await draw(dead())).toContain(">silent</text>");
        expect(await draw(locked())).toContain(">unusable</text>");
        expect(await draw(healthy())).not.toContain('class="box unknown"');
    });

    test("of thirty clusters in a full mesh has every link, without labels", async () => {
        const names = Array.from({ length: 30 }, (_, i) => `site-${i + 1}`);
        const picture = await draw(healthy({ names, nodes: 1 }));
        expect(picture.match(/class="link healthy" d="M[\d. ]+"\/>/g)).toHaveLength(30 * 29);
        expect(picture).not.toContain(">1 peer<");
    });

    test("turns dark with the reader's screen, and has its own page otherwise", async () => {
        const picture = await draw();
        expect(picture).toContain("prefers-color-scheme:dark");
        expect(picture).toContain('class="page"');
    });
});

test("Mermaid text marks the cluster that cannot be read by the id that the planner gave it", async () => {
    const { out } = await runCli(["graph"], dead());
    expect(out).toMatch(/c2\["tokyo/);
    expect(out).toContain("class c2 silent");
    expect((await runCli(["graph"], locked())).out).toContain("class c2 unusable");
    expect((await runCli(["graph"], healthy())).out).not.toContain("class");
});

test("the colours of the picture are far enough from their background to read, light and dark", async () => {
    const picture = await (await runCli(["graph", "--format", "svg"], healthy())).out;
    const [light, dark] = picture.split("@media");
    for (const theme of [light!, dark!]) {
        const page = /\.page\{fill:(#\w+)/.exec(theme)![1]!;
        const inks = [...theme.matchAll(/\.(?:ink|faint|fill-[\w-]+)\{fill:(#\w+)\}/g)].map(([, colour]) => colour!);
        expect(inks).toHaveLength(6);
        for (const ink of inks) expect(contrast(page, ink)).toBeGreaterThan(4.5);
    }
});

/** The contrast ratio of WCAG 2. */
function contrast(a: string, b: string): number {
    const luminance = (hex: string): number => {
        const [r, g, blue] = [1, 3, 5].map((at) => {
            const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
            return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * blue!;
    };
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light! + 0.05) / (dark! + 0.05);
}
