import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONCURRENCY } from "../../provider/kube/bounded";
import type { LocalCluster } from "../../tools/clusters";
import { tokenIn } from "./token";
import type { Workplace } from "./workplace";

/** The peers that are in a cluster now, as they would be sent to create them. */
export interface Bodies {
    readonly cluster: LocalCluster;
    readonly peers: readonly { readonly metadata: { readonly name: string } }[];
}

export async function readBodies(clusters: readonly LocalCluster[]): Promise<Bodies[]> {
    return Promise.all(
        clusters.map(async (cluster) => ({
            cluster,
            peers: (await cluster.listPeers()).map(({ metadata: { name, labels, annotations }, spec }) => ({
                apiVersion: "kilo.squat.ai/v1alpha1",
                kind: "Peer",
                metadata: { name, labels, annotations },
                spec,
            })),
        })),
    );
}

export const countOf = (bodies: readonly Bodies[]): number => bodies.reduce((sum, { peers }) => sum + peers.length, 0);

/** Milliseconds from the first request to the last answer of a loop that does nothing else. */
export async function bareLoop(
    workplace: Workplace,
    verb: "create" | "delete",
    bodies: readonly Bodies[],
): Promise<number> {
    const file = join(workplace.directory, "bare-loop.json");
    const targets = bodies.map(({ cluster, peers }) => ({
        url: cluster.url,
        ca: readFileSync(cluster.caFile, "utf8"),
        // The account that the mesh has: an API server lets its administrators pass unchecked and unqueued.
        token: tokenIn(cluster.kubeconfig),
        connections: DEFAULT_CONCURRENCY,
        peers,
    }));
    writeFileSync(file, JSON.stringify(targets));
    const printed = await program(process.execPath, [join(__dirname, "../programs/bare-loop.js"), verb, file]);
    return (JSON.parse(printed) as { milliseconds: number }).milliseconds;
}

/** Milliseconds of `kubectl apply`, one command per cluster, all at once. */
export async function kubectlApply(workplace: Workplace, bodies: readonly Bodies[]): Promise<number> {
    const files = bodies.map(({ cluster, peers }) => {
        const file = join(workplace.directory, `${cluster.name}-apply.json`);
        writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: peers }));
        return ["apply", "--kubeconfig", cluster.kubeconfigFile, "-f", file];
    });
    const start = performance.now();
    await Promise.all(files.map((args) => program(workplace.tools.kubectl, args)));
    return performance.now() - start;
}

async function program(command: string, args: readonly string[]): Promise<string> {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (chunk) => (printed += String(chunk)));
    const code = await new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
    });
    if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}`);
    return printed;
}
