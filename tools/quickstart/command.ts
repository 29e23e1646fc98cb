import { parseArgs } from "node:util";
import type { ClusterHandle, LivePeer } from "../clusters";
import { attachClusters } from "../clusters/attach";
import { checkIn } from "../clusters/check-in";
import { buildPackage, isBuilt } from "../process/build";
import { withLock } from "../process/lock";
import { type Toolchain, ToolchainError, toolchain } from "../toolchain";
import { CLUSTERS, LOCK } from "./places";
import { addNode, closePlayground, openPlayground, writeProject } from "./playground";
import { destroy, endLeftBehind, quickstartEnvironment, up } from "./pulumi";
import { table } from "./table";
import { watchQuickstart } from "./watch";

const OPTIONS = {
    "add-node": { type: "boolean" },
    watch: { type: "boolean" },
    "remove-cluster": { type: "boolean" },
    destroy: { type: "boolean" },
    stop: { type: "boolean" },
    env: { type: "boolean" },
    help: { type: "boolean" },
} as const;

const NEXT = `What to try next:
  npm start -- --add-node         a node joins amsterdam: the other clusters get a peer for it
  npm start -- --watch            the same by itself: a watcher sees the node and runs pulumi; ^C ends it
  npm start -- --remove-cluster   cairo leaves the mesh: its peers go, everywhere
  npm start                       all three again; a second time nothing changes
  npm start -- --destroy          pulumi destroy: no peer of ours is left
  npm start -- --stop             ends the clusters and removes everything
The program is index.ts. To run pulumi on it yourself: eval "$(npm start --silent -- --env)" && pulumi preview`;

async function main(): Promise<void> {
    const { values } = parseArgs({ options: { ...OPTIONS, once: { type: "boolean" } } });
    const { once = false, ...wishes } = values;
    const chosen = Object.keys(wishes);
    if (once && !values.watch)
        throw new Error("--once belongs to --watch: it ends when the peers of the node are there");
    if (chosen.length > 1) throw new Error(`One thing at a time: ${chosen.map((name) => `--${name}`).join(" or ")}`);
    if (values.help) return console.log(NEXT);
    const onWait = (pid: number) => console.error(`Another quick start (process ${pid}) is at work: waiting for it`);
    await withLock(LOCK, () => act(chosen[0] as keyof typeof OPTIONS | undefined, once), { onWait });
}

async function act(wish: keyof typeof OPTIONS | undefined, once: boolean): Promise<void> {
    if (wish === "stop") {
        await endLeftBehind();
        return console.log((await closePlayground()) ? "The local clusters have ended" : "Nothing was running");
    }
    if (wish !== undefined && wish !== "watch" && attachClusters(CLUSTERS) === undefined) {
        throw new Error(`--${wish} needs the clusters of the quick start: run \`npm start\` first`);
    }
    const tools = await toolchain();
    if (wish === "env") return printEnvironment(tools);
    if (!isBuilt()) {
        console.error("Building the package ...");
        if (!(await buildPackage())) throw new Error("The package does not compile: see above");
    }
    const playground = await openPlayground(tools, (line) => console.error(line));
    const members = wish === "remove-cluster" ? playground.clusters.slice(0, -1) : playground.clusters;
    if (wish === "add-node") console.log(`Added node ${await addNode(playground)}`);
    writeProject(members);
    // The agents check in by themselves, but not while the machine was asleep.
    await checkIn(playground.clusters);
    await (wish === "destroy" ? destroy(tools) : up(tools));
    if (wish === "watch") await watchQuickstart(tools, playground, { once });
    else await show(playground.clusters);
    await playground.close();
}

async function show(clusters: readonly ClusterHandle[]): Promise<void> {
    const rows: string[][] = [];
    for (const cluster of clusters) {
        const peers = await cluster.listPeers();
        if (peers.length === 0) rows.push([cluster.name, "(no peers)"]);
        for (const [at, peer] of peers.entries()) rows.push([at === 0 ? cluster.name : "", ...describe(peer)]);
    }
    console.log(`\nPeers that each cluster holds now, as its API server lists them:\n`);
    console.log(`${table(["CLUSTER", "PEER", "ENDPOINT", "ALLOWED IPS"], rows)}\n`);
    console.log(NEXT);
}

function describe({ metadata, spec }: LivePeer): string[] {
    const { ip, dns } = spec.endpoint?.dnsOrIP ?? {};
    const endpoint = spec.endpoint === undefined ? "-" : `${ip ?? dns}:${spec.endpoint.port}`;
    return [metadata.name, endpoint, (spec.allowedIPs ?? []).join(" ")];
}

/** For `eval` in a shell. */
function printEnvironment(tools: Toolchain): void {
    for (const [name, value] of Object.entries(quickstartEnvironment(tools))) {
        if (name !== "HOME") console.log(`export ${name}='${value.replaceAll("'", "'\\''")}'`);
    }
}

main().then(
    () => process.exit(0),
    (error: unknown) => {
        const known = error instanceof ToolchainError || (error instanceof Error && error.cause === undefined);
        console.error(known ? error.message : error);
        process.exit(1);
    },
);
