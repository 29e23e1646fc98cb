import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterHandle, type NodeSpec, nodeSpecs, startClusters } from "../clusters";
import { type AttachedClusters, attachClusters, endClusters } from "../clusters/attach";
import { CHECK_IN_SECONDS } from "../clusters/check-in";
import { ROOT } from "../process/run-program";
import type { Toolchain } from "../toolchain";
import { CLUSTERS, HOME, MEMBERS, PACKAGES, PULUMI } from "./places";

const NAMES = ["amsterdam", "berlin", "cairo"] as const;

/** The three clusters, running: those of an earlier call if they still are, else new ones. */
export async function openPlayground(tools: Toolchain, log: (line: string) => void): Promise<AttachedClusters> {
    const present = attachClusters(CLUSTERS);
    if (present !== undefined) {
        log("The local clusters are running already");
        return present;
    }
    await endClusters(CLUSTERS);
    // Recorded state belongs to the clusters it was made for.
    rmSync(HOME, { recursive: true, force: true });
    mkdirSync(HOME, { recursive: true, mode: 0o700 });
    log("Starting three local clusters (about 10 s) ...");
    const begun = Date.now();
    const set = await startClusters({ names: NAMES, dir: CLUSTERS, tools, log, checkInSeconds: CHECK_IN_SECONDS });
    try {
        await Promise.all(set.clusters.map((cluster) => cluster.putNodes(firstNodes(cluster))));
        await set.keep();
    } catch (error) {
        await set.stop();
        throw error;
    }
    log(`They are ready after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const attached = attachClusters(CLUSTERS);
    if (attached === undefined) throw new Error("The local clusters ended right after their start; run it again");
    return attached;
}

export async function closePlayground(): Promise<boolean> {
    const ended = await endClusters(CLUSTERS);
    rmSync(HOME, { recursive: true, force: true });
    return ended;
}

/** All that the program at the root needs, besides the clusters themselves. */
export function writeProject(clusters: readonly ClusterHandle[]): void {
    const members = clusters.map(({ name, kubeconfigFile, podCIDR, wireguardCIDR, serviceCIDR }) => {
        return { name, kubeconfig: kubeconfigFile, podCIDR, wireguardCIDR, serviceCIDR };
    });
    for (const folder of [PULUMI, PACKAGES]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const link = join(PACKAGES, "pulumi-kilo-clustermesh");
    rmSync(link, { force: true });
    symlinkSync(ROOT, link);
    writeFileSync(`${MEMBERS}.new`, `${JSON.stringify(members, undefined, 4)}\n`);
    renameSync(`${MEMBERS}.new`, MEMBERS);
}

/** One more node in the first cluster; returns its name. */
export async function addNode({ clusters }: AttachedClusters): Promise<string> {
    const cluster = clusters[0]!;
    const { items } = await cluster.request<{ items: unknown[] }>("GET", "/api/v1/nodes");
    const spec = nodeSpecs(cluster, items.length + 1).at(-1)!;
    await cluster.putNode(spec);
    return `${cluster.name}/${spec.name}`;
}

/** Amsterdam and Berlin mesh every node; Cairo is one location, whose leader stands for its three nodes. */
function firstNodes(cluster: ClusterHandle): NodeSpec[] {
    if (cluster.name !== "cairo") return nodeSpecs(cluster, 3);
    const [leader, ...rest] = nodeSpecs(cluster, 3, { granularity: "location", location: "nile" });
    return [{ ...leader!, leader: true }, ...rest.map((spec) => ({ ...spec, wireguardIP: null }))];
}
