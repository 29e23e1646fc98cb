import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DoubleNode } from "../../../tests/support/api-double";
import type { LocalCluster, LocalClusters } from "../../../tools/clusters";
import { nodeObject } from "../../../tools/clusters/node-spec";
import { type Bodies, bareLoop, bodyOf, type ReachableCluster, readBodies } from "../peer-bodies";
import { cpuOf } from "../process-watch";
import type { Workplace } from "../workplace";
import { fleetNode, rangesOf } from "./addresses";
import { forkDoubles } from "./doubles";
import type { Calls } from "./doubles-process";
import { realSize } from "./real-size";

export interface FleetCluster extends ReachableCluster, ReturnType<typeof rangesOf> {
    readonly index: number;
    readonly isReal: boolean;
}

/** What all servers did during one operation. */
export interface Served {
    readonly milliseconds: number;
    /** Lists at the cluster that was asked for most. */
    readonly lists: number;
    readonly writes: number;
    /** Milliseconds of processor time of all servers, etcd too. */
    readonly cpu: number;
}

/** Many clusters: API doubles in one process of their own, and a few real API servers among them. */
export interface Fleet {
    /** The first is meant to be the hub. */
    readonly clusters: readonly FleetCluster[];
    /** Brings nodes `from`..`to` (from 1) into a cluster. */
    grow(cluster: FleetCluster, from: number, to: number): Promise<void>;
    silence(cluster: FleetCluster, on: boolean): Promise<void>;
    /** From now on every node of a double checks in every so many seconds, 0: none; says how often they did before. */
    beat(seconds: number): Promise<number>;
    served(work: () => Promise<number>): Promise<Served>;
    bodies(): Promise<Bodies[]>;
    /** Takes away every peer, in no time that counts. */
    clear(): Promise<void>;
    close(): Promise<void>;
}

export interface FleetOptions {
    readonly count: number;
    /** So many of them, from the second on, are real. */
    readonly real: number;
    /** After so many milliseconds the doubles answer. */
    readonly delayMs: number;
    /** Whether the doubles say as much of a node as real servers do. */
    readonly isRealSize?: boolean;
}

export async function openFleet(
    workplace: Workplace,
    { count, real, delayMs, isRealSize = false }: FleetOptions,
): Promise<Fleet> {
    const names = Array.from({ length: count }, (_, at) => (at === 0 ? "hub" : `spoke-${at}`));
    const isReal = (at: number): boolean => at >= 1 && at <= real;
    const files = mkdtempSync(join(workplace.directory, "fleet-"));
    const doubles = forkDoubles();
    const started = await doubles.ask({ act: "start", names: names.filter((_, at) => !isReal(at)), delayMs });
    const servers: LocalClusters | undefined =
        real === 0 ? undefined : await workplace.startClusters(names.filter((_, at) => isReal(at)));
    const clusters = names.map((name, index): FleetCluster => {
        const ranges = rangesOf(index);
        const found = started[name];
        if (found === undefined) {
            const { url, caFile, kubeconfig, kubeconfigFile } = servers!.get(name);
            return { name, index, isReal: true, url, caFile, kubeconfig, kubeconfigFile, ...ranges };
        }
        const [caFile, kubeconfigFile] = [join(files, "ca.pem"), join(files, `${name}.json`)];
        writeFileSync(caFile, found.ca);
        writeFileSync(kubeconfigFile, found.kubeconfig, { mode: 0o600 });
        return {
            name,
            index,
            isReal: false,
            url: found.url,
            caFile,
            kubeconfig: found.kubeconfig,
            kubeconfigFile,
            ...ranges,
        };
    });
    const processes = servers === undefined ? [] : [servers.database, ...servers.clusters];
    const tally = async () => {
        const asked = await doubles.ask({ act: "calls" });
        const cpu = asked.cpuMs + processes.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
        const metrics = await Promise.all((servers?.clusters ?? []).map(requestsOf));
        return { doubles: Object.values(asked.clusters), metrics, cpu };
    };
    return {
        clusters,
        async grow(cluster, from, to) {
            const specs = Array.from({ length: to - from + 1 }, (_, at) => fleetNode(cluster, from + at));
            if (cluster.isReal) await servers!.get(cluster.name).putNodes(specs);
            else {
                const made = specs.map((spec) => nodeObject({ name: cluster.name, index: 0 }, spec) as DoubleNode);
                const nodes = isRealSize ? made.map(realSize) : made;
                await doubles.ask({ act: "nodes", name: cluster.name, nodes });
            }
        },
        beat: (seconds) => doubles.ask({ act: "beat", seconds }),
        silence: async ({ name }, on) => void (await doubles.ask({ act: "silence", name, on })),
        async served(work) {
            const before = await tally();
            const milliseconds = await work();
            const after = await tally();
            const real = after.metrics.map((each, at) => less(each, before.metrics[at]!));
            const all = [...after.doubles, ...real];
            return {
                milliseconds,
                lists: Math.max(...all.map(({ lists }) => lists)),
                writes: all.reduce((sum, { writes }) => sum + writes, 0),
                cpu: after.cpu - before.cpu,
            };
        },
        async bodies() {
            const peers = await doubles.ask({ act: "peers" });
            const stored = await readBodies(servers?.clusters ?? []);
            return clusters.map((cluster) => ({
                cluster,
                peers:
                    stored.find((each) => each.cluster.name === cluster.name)?.peers ??
                    (peers[cluster.name] as Parameters<typeof bodyOf>[0][]).map(bodyOf),
            }));
        },
        async clear() {
            await doubles.ask({ act: "clear" });
            await bareLoop(workplace, "delete", await readBodies(servers?.clusters ?? []));
        },
        async close() {
            await doubles.close();
            await servers?.stop();
        },
    };
}

const less = (after: Calls, before: Calls): Calls => ({
    lists: after.lists - before.lists,
    gets: after.gets - before.gets,
    writes: after.writes - before.writes,
});

/** What a real server says that it was asked about nodes and peers; its own housekeeping is about other things. */
async function requestsOf(cluster: LocalCluster): Promise<Calls> {
    const text = await cluster.request<string>("GET", "/metrics");
    const found: Calls = { lists: 0, gets: 0, writes: 0 };
    for (const [, labels = "", count] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
        if (!/resource="(nodes|peers)"/.test(labels)) continue;
        const verb = /verb="(\w+)"/.exec(labels)?.[1] ?? "";
        if (verb === "LIST") found.lists += Number(count);
        else if (verb === "GET") found.gets += Number(count);
        else if (verb !== "WATCH") found.writes += Number(count);
    }
    return found;
}
