import { validateMesh } from "../../../provider/mesh/args/validate";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { codes, key } from "./fixtures";

test("4,000 networks are checked against each other", () => {
    const clusters = Array.from({ length: 40 }, (_, c) => ({
        name: `c${c}`,
        podCIDRs: Array.from({ length: 100 }, (_, n) => `10.${c}.${n}.0/24`),
    }));
    expect(validateMesh({ mesh: "m", clusters })).toEqual([]);
    const last = clusters.at(-1)!;
    const clash = [...clusters.slice(0, -1), { ...last, podCIDRs: [...last.podCIDRs, "10.0.99.128/25"] }];
    expect(validateMesh({ mesh: "m", clusters: clash }).map(({ path }) => path)).toEqual([
        "clusters[39].podCIDRs[100]",
    ]);
});

test("a warning comes with more than 1,000 peers in a target", () => {
    const clusters = [
        { name: "src", podCIDRs: ["10.0.0.0/14"] },
        { name: "dst", podCIDRs: ["10.8.0.0/16"] },
    ];
    const planOf = (count: number) =>
        planMesh({
            mesh: "m",
            clusters,
            nodes: {
                src: Array.from({ length: count }, (_, i) => ({
                    metadata: {
                        name: `n${i}`,
                        annotations: { "kilo.squat.ai/key": key(i + 1), "kilo.squat.ai/granularity": "full" },
                    },
                    spec: { podCIDR: `10.${i >> 8}.${i & 255}.0/24` },
                })),
            },
        });
    expect(codes(planOf(1000))).toEqual([]);
    expect(codes(planOf(1001))).toEqual(["warning TooManyPeers dst"]);
});

test("a hundred thousand bad nodes are a hundred thousand findings, and no exception", () => {
    const src = Array.from({ length: 100_000 }, (_, i) => ({ metadata: { name: `n${i}` } }));
    const planned = planMesh({
        mesh: "m",
        clusters: [
            { name: "src", podCIDRs: ["10.0.0.0/14"] },
            { name: "dst", podCIDRs: ["10.8.0.0/16"] },
        ],
        nodes: { src },
    });
    expect(planned.skipped).toHaveLength(100_000);
    expect(codes(planned)).toEqual(["warning ClusterNoNodes src"]);
});
