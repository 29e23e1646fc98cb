import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONCURRENCY, forEachBounded } from "../../provider/kube/bounded";
import type { LivePeer, LocalCluster } from "../../tools/clusters";
import { tokenIn } from "./token";
import type { Workplace } from "./workplace";

/** How loops and commands reach a cluster. */
export type ReachableCluster = Pick<LocalCluster, "name" | "url" | "caFile" | "kubeconfig" | "kubeconfigFile">;

/** The peers that are in a cluster now, as they would be sent to create them. */
export interface Bodies<C extends ReachableCluster = ReachableCluster> {
    readonly cluster: C;
    readonly peers: readonly { readonly metadata: { readonly name: string } }[];
}

export async function readBodies<C extends LocalCluster>(clusters: readonly C[]): Promise<Bodies<C>[]> {
    return Promise.all(clusters.map(async (cluster) => ({ cluster, peers: (await cluster.listPeers()).map(bodyOf) })));
}

export const bodyOf = ({ metadata: { name, labels, annotations }, spec }: Pick<LivePeer, "metadata" | "spec">) => ({
    apiVersion: "kilo.squat.ai/v1alpha1",
    kind: "Peer",
    metadata: { name, labels, annotations },
    spec,
});

export const countOf = (bodies: readonly Bodies[]): number => bodies.reduce((sum, { peers }) => sum + peers.length, 0);

/** Milliseconds from the first request to the last answer of a loop that does nothing else. */
export const bareLoop = (workplace: Workplace, verb: "create" | "delete", bodies: readonly Bodies[]): Promise<number> =>
    loop(workplace, bodies, [verb]);

/** The same, one cluster after the other and one request at a time, with a look at what is there first: an operator. */
export const serialLoop = (workplace: Workplace, bodies: readonly Bodies[]): Promise<number> =>
    loop(workplace, bodies, ["create", "--serial"]);

async function loop(
    workplace: Workplace,
    bodies: readonly Bodies[],
    [verb, ...flags]: readonly [string, ...string[]],
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
    writeFileSync(file, JSON.stringify(targets), { mode: 0o600 });
    const printed = await program(process.execPath, [
        join(__dirname, "../programs/bare-loop.js"),
        verb,
        file,
        ...flags,
    ]);
    return (JSON.parse(printed) as { milliseconds: number }).milliseconds;
}

/** More commands at once only wait for each other. */
const COMMANDS_AT_ONCE = 16;

/** Milliseconds of `kubectl apply`, one command per cluster, up to sixteen at once. */
export async function kubectlApply(
    workplace: Workplace,
    bodies: readonly Bodies[],
    ...flags: readonly string[]
): Promise<number> {
    const files = bodies.map(({ cluster, peers }) => {
        const file = join(workplace.directory, `${cluster.name}-apply.json`);
        writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: peers }));
        // It keeps what it learns of a server's kinds by address, and addresses come again.
        const cache = `--cache-dir=${join(workplace.directory, `kubectl-${cluster.name}`)}`;
        return ["apply", "--kubeconfig", cluster.kubeconfigFile, cache, ...flags, "-f", file];
    });
    const start = performance.now();
    await forEachBounded(files, COMMANDS_AT_ONCE, async (args) => void (await program(workplace.tools.kubectl, args)));
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
