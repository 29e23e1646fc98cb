import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { MeshCounts } from "../../../../cli/metrics/mesh-counts";
import { MESH_METRICS, WATCH_METRICS } from "../../../../cli/metrics/names";
import { prometheusText } from "../../../../cli/metrics/prometheus";
import { type WatchCounts, watchMetrics } from "../../../../cli/metrics/watch-metrics";
import { readExposition, valuesOf } from "./exposition";

const COUNTS: MeshCounts = {
    mesh: "global",
    members: [
        { name: "hub", state: "seen", staleNodes: 1 },
        { name: "edge", state: "silent", staleNodes: 0 },
    ],
    targets: [
        { name: "hub", wanted: 3, present: 2, drifted: 1 },
        { name: "edge", wanted: 4, present: 0, drifted: 0 },
    ],
    tunnels: { seen: 5, total: 6 },
};
const WATCHED: WatchCounts = { ...COUNTS, secondsBehind: 2.5, isRunning: true };

test("one look is told as Prometheus reads it", async () => {
    expect(valuesOf(readExposition(await prometheusText(COUNTS)))).toEqual({
        'kilo_clustermesh_member_state{cluster="hub",mesh="global",state="waiting"}': 0,
        'kilo_clustermesh_member_state{cluster="hub",mesh="global",state="seen"}': 1,
        'kilo_clustermesh_member_state{cluster="hub",mesh="global",state="silent"}': 0,
        'kilo_clustermesh_member_state{cluster="hub",mesh="global",state="unusable"}': 0,
        'kilo_clustermesh_member_state{cluster="edge",mesh="global",state="waiting"}': 0,
        'kilo_clustermesh_member_state{cluster="edge",mesh="global",state="seen"}': 0,
        'kilo_clustermesh_member_state{cluster="edge",mesh="global",state="silent"}': 1,
        'kilo_clustermesh_member_state{cluster="edge",mesh="global",state="unusable"}': 0,
        'kilo_clustermesh_stale_nodes{cluster="hub",mesh="global"}': 1,
        'kilo_clustermesh_peers_wanted{cluster="hub",mesh="global"}': 3,
        'kilo_clustermesh_peers_wanted{cluster="edge",mesh="global"}': 4,
        'kilo_clustermesh_peers_present{cluster="hub",mesh="global"}': 2,
        'kilo_clustermesh_peers_drifted{cluster="hub",mesh="global"}': 1,
        'kilo_clustermesh_tunnels{mesh="global"}': 6,
        'kilo_clustermesh_tunnels_seen{mesh="global"}': 5,
    });
});

test("docs/cli.md has every metric with its labels, and no other", () => {
    const page = readFileSync(path.join(__dirname, "../../../../docs/cli.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(kilo_clustermesh_\w+)` \| ([^|]+) \| (\w+) \|/gm)];
    const documented = rows.map(([, name = "", labels = "", of = ""]) => ({ name, labels: labels.trim(), of }));
    const described = (metrics: typeof MESH_METRICS | typeof WATCH_METRICS, of: string) =>
        Object.values(metrics).map(({ name, labels }: { name: string; labels: readonly string[] }) => ({
            name,
            labels: labels.map((label) => `\`${label}\``).join(", "),
            of,
        }));
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect(documented.sort(byName)).toEqual(
        [...described(MESH_METRICS, "both"), ...described(WATCH_METRICS, "watch")].sort(byName),
    );
});

test("names, types and labels are what they are said to be", async () => {
    const families = readExposition(await watchMetrics("global", () => ({ ...WATCHED, lastSuccess: 1 })).text());
    const described = [...Object.values(MESH_METRICS), ...Object.values(WATCH_METRICS)];
    expect(Object.keys(families).sort()).toEqual(described.map(({ name }) => name).sort());
    for (const { name, help, labels } of described) {
        expect(families[name]).toMatchObject({ help });
        for (const sample of families[name]?.samples ?? []) {
            expect(
                Object.keys(sample.labels)
                    .filter((label) => label !== "le")
                    .sort(),
            ).toEqual([...labels].sort());
        }
    }
    const typed = (name: string): string | undefined => families[name]?.type;
    expect([typed(WATCH_METRICS.runs.name), typed(WATCH_METRICS.runDuration.name)]).toEqual(["counter", "histogram"]);
    expect(typed(WATCH_METRICS.behind.name)).toBe("gauge");
});

test("runs are counted by outcome, and from 0, so that the first one shows as an increase", async () => {
    const metrics = watchMetrics("global", () => WATCHED);
    const before = valuesOf(readExposition(await metrics.text()));
    const runs = (outcome: string): string => `kilo_clustermesh_runs_total{mesh="global",outcome="${outcome}"}`;
    expect([before[runs("succeeded")], before[runs("partial")], before[runs("failed")]]).toEqual([0, 0, 0]);
    metrics.onRun("succeeded", 4);
    metrics.onRun("failed", 700);
    metrics.onRun("failed", 0.2);
    const after = valuesOf(readExposition(await metrics.text()));
    expect([after[runs("succeeded")], after[runs("partial")], after[runs("failed")]]).toEqual([1, 0, 2]);
    const took = (rest: string): number | undefined => after[`kilo_clustermesh_run_duration_seconds_${rest}`];
    expect(took('sum{mesh="global",outcome="failed"}')).toBeCloseTo(700.2);
    expect(took('bucket{le="600",mesh="global",outcome="failed"}')).toBe(1);
    expect(took('bucket{le="5",mesh="global",outcome="succeeded"}')).toBe(1);
    expect(took('bucket{le="2.5",mesh="global",outcome="succeeded"}')).toBe(0);
});

test("each reading asks again: a member that left has no series, and no success yet has none either", async () => {
    let now: WatchCounts = WATCHED;
    const metrics = watchMetrics("global", () => now);
    const first = await metrics.text();
    expect(first).toContain('cluster="edge"');
    expect(Object.keys(valuesOf(readExposition(first)))).not.toContain(
        'kilo_clustermesh_last_success_timestamp_seconds{mesh="global"}',
    );
    const [hub] = [COUNTS.members[0]!, COUNTS.targets[0]!];
    now = { ...WATCHED, members: [hub], targets: [COUNTS.targets[0]!], secondsBehind: 0, lastSuccess: 1_700_000_000 };
    const second = await metrics.text();
    expect(second).not.toContain('cluster="edge"');
    const values = valuesOf(readExposition(second));
    expect(values['kilo_clustermesh_behind_seconds{mesh="global"}']).toBe(0);
    expect(values['kilo_clustermesh_last_success_timestamp_seconds{mesh="global"}']).toBe(1_700_000_000);
});

test("two watchers of one process count for themselves", async () => {
    const [one, other] = [watchMetrics("global", () => WATCHED), watchMetrics("global", () => WATCHED)];
    one.onRun("succeeded", 1);
    expect(await other.text()).toContain('kilo_clustermesh_runs_total{mesh="global",outcome="succeeded"} 0');
});

test("a name with quotes and line ends stays one label", async () => {
    const odd = 'a"b\\c\nd';
    const families = readExposition(await prometheusText({ ...COUNTS, mesh: odd }));
    expect(families.kilo_clustermesh_tunnels?.samples[0]?.labels).toEqual({ mesh: odd });
});

test("the library is not loaded by what prints no metrics", () => {
    const code = `require(${JSON.stringify(path.join(__dirname, "../../../../cli/run.ts"))});
        console.log(Object.keys(require.cache).filter((file) => file.includes("prom-client")).length);`;
    const { stdout } = spawnSync(process.execPath, ["--import", require.resolve("tsx"), "-e", code], {
        encoding: "utf8",
        cwd: path.join(__dirname, "../../../.."),
    });
    expect(stdout.trim()).toBe("0");
});
