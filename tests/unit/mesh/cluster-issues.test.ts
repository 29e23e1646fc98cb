import type { KnownNode } from "../../../provider/kilo/types";
import type { Knowledge } from "../../../provider/mesh/knowledge";
import { clusterIssues } from "../../../provider/mesh/report/cluster-issues";
import { sortSkipped } from "../../../provider/mesh/report/skip";
import type { SkippedNode } from "../../../provider/mesh/types";
import { key } from "./fixtures";

const NODE: KnownNode = { name: "n1", podCIDRs: [], internalIPs: [], externalIPs: [], key: key(1) };
const SEEN = { state: "seen", nodes: [] } as unknown as Knowledge;
const silent = (more: object = {}): Knowledge =>
    ({ state: "silent", reason: "cluster c: it does not answer", fix: "f", ...more }) as unknown as Knowledge;
const unusable = (more: object = {}): Knowledge => ({ ...silent(more), state: "unusable" }) as Knowledge;

const said = (
    knowledge: Knowledge,
    { all = {}, nodes = [NODE], keptAll = false }: { all?: object; nodes?: KnownNode[]; keptAll?: boolean } = {},
) =>
    clusterIssues("c", knowledge, all as Readonly<Record<string, Knowledge>>, nodes, keptAll).map(
        ({ code, path, message, fix }) => ({ code, path, message, fix }),
    );

test("of a cluster that is not known yet nothing is said", () => {
    expect(said({ state: "unknown" } as unknown as Knowledge, { nodes: [] })).toEqual([]);
});

test("of one that was seen it is said where it lists no nodes but had some, or where Kilo has set up none", () => {
    expect(said(SEEN)).toEqual([]);
    expect(said(SEEN, { keptAll: true })).toMatchObject([
        { code: "ClusterEmpty", message: '"c" lists no nodes, though it had some ("n1"): their peers are kept' },
    ]);
    expect(said(SEEN, { nodes: [{ ...NODE, key: "" }] })).toMatchObject([{ code: "ClusterNoNodes" }]);
});

describe("of one that is silent or unusable", () => {
    const kept = "Its last known nodes keep their peers, and its own peers stay as they are";

    test("the reason is said, and since when", () => {
        expect(said(silent({ since: "2026-01-02T03:04:05Z" }))).toMatchObject([
            {
                code: "ClusterSilent",
                path: "c",
                message: `cluster c: it does not answer (since 2026-01-02T03:04:05Z). ${kept}`,
            },
        ]);
        expect(said(unusable({ fix: "Correct its kubeconfig" }))).toEqual([
            {
                code: "ClusterUnusable",
                path: "c",
                message: `cluster c: it does not answer (in this run). ${kept}`,
                fix: "Correct its kubeconfig",
            },
        ]);
    });

    test("nothing is said where the reason is told elsewhere", () => {
        expect(said(silent({ reason: "" }))).toEqual([]);
    });

    test("because the holder of its kubeconfig is, the holder alone is named", () => {
        expect(said(silent({ holder: "hub" }), { all: { hub: silent() } })).toEqual([]);
        expect(said(unusable({ holder: "hub" }), { all: { hub: unusable() } })).toEqual([]);
    });

    test("though the holder of its kubeconfig is not, it is named itself", () => {
        for (const all of [{ hub: SEEN }, { hub: unusable() }, {}]) {
            expect(said(silent({ holder: "hub" }), { all })).toMatchObject([{ code: "ClusterSilent" }]);
        }
    });
});

test("skipped nodes are in the order of cluster, node and target; what holds for every target comes first", () => {
    const skipped = (node: string, target?: string): SkippedNode => {
        const found = { cluster: "c", node, reason: "NodeNoPodCIDR", message: "m" } as const;
        return target === undefined ? found : { ...found, target };
    };
    const sorted = [skipped("a"), skipped("a", "x"), skipped("a", "y"), skipped("b")];
    expect(sortSkipped([...sorted].reverse())).toEqual(sorted);
    expect(sortSkipped([sorted[1]!, sorted[0]!])).toEqual(sorted.slice(0, 2));
});
