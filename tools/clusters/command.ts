import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeSpecs, startClusters } from ".";
import { attachClusters, endClusters } from "./attach";
import { CHECK_IN_SECONDS } from "./check-in";

const DIRECTORY = join(__dirname, "..", "..", ".local", "clusters");
const USAGE = `Usage: npm run clusters -- <command>
  up [--count 3] [--nodes 3]   start that many clusters with that many nodes each, and leave them running
  status                       show them
  down                         end them and remove their files`;

async function main(args: string[]): Promise<void> {
    const { positionals, values } = parseArgs({
        args,
        allowPositionals: true,
        options: {
            count: { type: "string", default: "3" },
            nodes: { type: "string", default: "3" },
            help: { type: "boolean", default: false },
        },
    });
    const [command, ...rest] = positionals;
    if (values.help) console.log(USAGE);
    else if (command === "up" && rest.length === 0)
        await up(wholeNumber("count", values.count), wholeNumber("nodes", values.nodes));
    else if (command === "status" && rest.length === 0) await status();
    else if (command === "down" && rest.length === 0) await down();
    else throw new Error(USAGE);
}

async function up(count: number, nodes: number): Promise<void> {
    if (attachClusters(DIRECTORY) !== undefined) {
        throw new Error("Local clusters are running already: see `npm run clusters -- status`, end them with `down`");
    }
    await endClusters(DIRECTORY);
    const begun = Date.now();
    const log = (line: string) => console.error(line);
    const set = await startClusters({ count, dir: DIRECTORY, log, checkInSeconds: CHECK_IN_SECONDS });
    try {
        for (const cluster of set.clusters) await cluster.putNodes(nodeSpecs(cluster, nodes));
        await set.keep();
    } catch (error) {
        await set.stop();
        throw error;
    }
    console.log(`${count} clusters are ready after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    await status();
}

async function status(): Promise<void> {
    const attached = attachClusters(DIRECTORY);
    if (attached === undefined) return console.log("No local clusters are running. Start some: npm run clusters -- up");
    for (const cluster of attached.clusters) {
        const nodes = await cluster.request<{ items: unknown[] }>("GET", "/api/v1/nodes");
        const peers = await cluster.listPeers();
        console.log(`${cluster.name}  ${cluster.url}  nodes ${nodes.items.length}  peers ${peers.length}`);
        console.log(`    administrator    ${cluster.adminKubeconfigFile}`);
        console.log(`    least privilege  ${cluster.kubeconfigFile}`);
    }
    await attached.close();
}

async function down(): Promise<void> {
    console.log((await endClusters(DIRECTORY)) ? "The local clusters have ended" : "No local clusters were running");
}

function wholeNumber(name: string, text: string): number {
    if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
    throw new Error(`--${name} is "${text}": give a whole number, 1 or more`);
}

main(process.argv.slice(2)).then(
    () => process.exit(0),
    (error: unknown) => {
        console.error(error instanceof Error ? error.message : error);
        process.exit(1);
    },
);
