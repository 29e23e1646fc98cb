import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttachedClusters } from "../clusters/attach";
import { ROOT } from "../process/run-program";
import type { Toolchain } from "../toolchain";
import { CLUSTERS } from "./places";
import { addNode } from "./playground";
import { quickstartEnvironment, recordRunning, STACK } from "./pulumi";

const BEFORE_THE_NODE_MS = 3_000;
const POLL_MS = 100;
/** `pulumi up` takes seconds; after this something is wrong. */
const PATIENCE_MS = 120_000;

/** Starts the watcher, lets a node join and says how long its peers took; then goes on until ^C, with `once` not. */
export async function watchQuickstart(
    tools: Toolchain,
    playground: AttachedClusters,
    { once }: { readonly once: boolean },
): Promise<void> {
    const command = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"];
    const child = spawn(
        process.execPath,
        [join(ROOT, "dist/cli/main.js"), "watch", "--stack", STACK, "--", ...command],
        { cwd: ROOT, env: quickstartEnvironment(tools), stdio: ["ignore", "pipe", "pipe"] },
    );
    const forget = recordRunning(child.pid);
    const ended = new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
    });
    let stopped = false;
    const stop = (): void => {
        stopped = true;
        child.kill("SIGTERM");
    };
    // From a terminal, ^C reaches the watcher too: asking it twice is no harm.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
    const unseen = new Set(playground.clusters.map(({ name }) => name));
    let runs = 0;
    for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on("line", (line) => {
            console.log(line);
            const [, seen] = /(\S+) is seen$/.exec(line) ?? [];
            if (seen !== undefined) unseen.delete(seen);
            if (/the run succeeded/.test(line)) runs++;
        });
    }
    const until = async (isThere: () => boolean | Promise<boolean>, what: string): Promise<void> => {
        for (const end = Date.now() + PATIENCE_MS; !stopped && !(await isThere()); await sleep(POLL_MS)) {
            if (child.exitCode !== null) throw new Error("The watcher has ended; see above");
            if (Date.now() > end) throw new Error(`${what} took too long; see above`);
        }
    };
    try {
        await until(() => unseen.size === 0, "Hearing of the three clusters");
        console.log(`\nWatching. In ${BEFORE_THE_NODE_MS / 1000} s a node joins amsterdam.`);
        await sleep(BEFORE_THE_NODE_MS);
        if (!stopped) await joinOne();
        if (once) stop();
        else if (!stopped) sayWhatToTry();
        const code = await ended;
        if (!stopped) throw new Error(`The watcher ended with ${code}; see above`);
        console.log("The watcher has ended. The clusters go on: npm start -- --stop ends them");
    } finally {
        stop();
        await ended.catch(() => undefined);
        forget();
    }

    async function joinOne(): Promise<void> {
        const begun = Date.now();
        const added = await addNode(playground);
        console.log(`Added node ${added}`);
        const peer = `quickstart--${added.replace("/", "--")}`;
        const others = new Map(playground.clusters.slice(1).map((cluster) => [cluster.name, cluster]));
        await until(async () => {
            for (const [name, cluster] of others) {
                if (!(await cluster.listPeers()).some(({ metadata }) => metadata.name === peer)) continue;
                others.delete(name);
                console.log(`${name} has ${peer} after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
            }
            return others.size === 0;
        }, `The peers of ${added}`);
        await until(() => runs > 0, "The run");
    }
}

function sayWhatToTry(): void {
    const kubeconfig = (cluster: string) =>
        `--kubeconfig ${CLUSTERS.slice(ROOT.length + 1)}/${cluster}/admin.kubeconfig`;
    console.log(`
It goes on watching; ^C ends it. In another terminal:
  kubectl ${kubeconfig("amsterdam")} delete node amsterdam-n1
  kubectl ${kubeconfig("berlin")} delete peer quickstart--cairo--location-nile
`);
}
