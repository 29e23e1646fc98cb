import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { request } from "undici";
import { type Toolchain, toolchain } from "../toolchain";
import { writeList } from "./layout";
import { createLocalCluster, type LocalCluster } from "./local-cluster";
import { freePort } from "./ports";
import { newRecordFile, registryDirectory, sweep } from "./registry";
import { type ServerPlan, startOnFreePort } from "./server";
import { etcdArguments } from "./server-arguments";
import { type ServerLife, serverLife } from "./server-life";
import { Supervision } from "./supervision";

export { ApiError } from "./api-client";
export type { ClusterDetails, ClusterHandle, LivePeer } from "./cluster-handle";
export type { LocalCluster } from "./local-cluster";
export { type NodeSpec, nodeSpecs, publicKey } from "./node-spec";

export interface StartOptions {
    /** How many clusters, named c1, c2, …; default 2. */
    readonly count?: number;
    /** Or their names. */
    readonly names?: readonly string[];
    /** Where their files go; default: a new directory for temporary files. Removed when they stop. */
    readonly dir?: string;
    readonly log?: (line: string) => void;
    /** Default: found, downloaded or built. */
    readonly tools?: Pick<Toolchain, "etcd" | "kubeApiserver">;
    readonly choosePort?: () => Promise<number>;
    /** For the API servers, besides what they need. */
    readonly serverArguments?: readonly string[];
    /** How often the nodes check in, as Kilo's agents do; default: what a node was given as `lastSeen` stays. */
    readonly checkInSeconds?: number;
}

/** Real API servers over one etcd, each with TLS, RBAC and Kilo's Peer kind. They end when this process ends. */
export interface LocalClusters {
    readonly clusters: readonly LocalCluster[];
    readonly directory: string;
    /** The etcd below all of them. */
    readonly database: ServerLife & { readonly port: number };
    get(name: string): LocalCluster;
    add(name: string): Promise<LocalCluster>;
    /** Lets them live on after this process; `attach` finds them again. */
    keep(): Promise<void>;
    /** Ends every process and removes every file. */
    stop(): Promise<void>;
}

export async function startClusters(options: StartOptions = {}): Promise<LocalClusters> {
    const log = options.log ?? (() => undefined);
    const names = options.names ?? Array.from({ length: options.count ?? 2 }, (_, at) => `c${at + 1}`);
    checkNames(names);
    const tools = options.tools ?? (await toolchain(options.log === undefined ? {} : { log }));
    const registry = registryDirectory();
    const ended = await sweep(registry);
    if (ended > 0) log(`Ended ${ended} processes that an earlier, killed run had left behind`);

    const directory = emptyDirectory(options.dir);
    const supervision = await Supervision.open(directory, newRecordFile(registry));
    const running: Awaited<ReturnType<typeof createLocalCluster>>[] = [];
    try {
        const { port: etcdPort, life: database } = await startEtcd(
            supervision,
            tools.etcd,
            directory,
            options.choosePort,
        );
        const create = async (name: string, index: number) => {
            const choosePort = options.choosePort ?? freePort;
            const { serverArguments = [] } = options;
            const place = { name, index, directory, etcdPort };
            return createLocalCluster({ ...place, tools, supervision, choosePort, serverArguments });
        };
        running.push(...(await Promise.all(names.map(create))));
        writeList(directory, running);
        if (options.checkInSeconds !== undefined) supervision.checkIn(options.checkInSeconds);
        return {
            clusters: running,
            directory,
            database: Object.assign(database, { port: etcdPort }),
            get: (name) => find(running, name),
            async add(name) {
                checkNames([...running.map((cluster) => cluster.name), name]);
                const cluster = await create(name, running.length);
                running.push(cluster);
                writeList(directory, running);
                return cluster;
            },
            keep: () => supervision.keep(),
            async stop() {
                await Promise.all(running.map((cluster) => cluster.close()));
                await supervision.end();
            },
        };
    } catch (error) {
        await supervision.end();
        throw error;
    }
}

async function startEtcd(
    supervision: Supervision,
    command: string,
    directory: string,
    choosePort: (() => Promise<number>) | undefined,
): Promise<{ readonly port: number; readonly life: ServerLife }> {
    const plan: ServerPlan = {
        id: "etcd",
        command,
        log: join(directory, "etcd.log"),
        args: async (clientPort) => etcdArguments(join(directory, "etcd"), clientPort, await freePort()),
        ready: async (clientPort) => {
            const { body } = await request(`http://127.0.0.1:${clientPort}/health`, { headersTimeout: 5_000 });
            return ((await body.json()) as { health?: string }).health === "true";
        },
    };
    const { port, server } = await startOnFreePort(supervision, plan, choosePort);
    return { port, life: serverLife(supervision, plan, port, server) };
}

function find(clusters: readonly LocalCluster[], name: string): LocalCluster {
    const cluster = clusters.find((candidate) => candidate.name === name);
    if (cluster !== undefined) return cluster;
    const names = clusters.map((candidate) => candidate.name).join(", ");
    throw new Error(`There is no local cluster ${name}; there are ${names}`);
}

function checkNames(names: readonly string[]): void {
    const bad = names.find((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name) || name === "etcd");
    if (bad !== undefined) {
        throw new Error(
            `"${bad}" cannot name a local cluster: use lower-case letters, digits and dashes, and not etcd`,
        );
    }
    if (new Set(names).size !== names.length) throw new Error(`Two local clusters have one name: ${names.join(", ")}`);
}

/** It will be removed as a whole later on, so it must not hold anybody's files now. */
function emptyDirectory(wanted: string | undefined): string {
    if (wanted === undefined) return mkdtempSync(join(tmpdir(), "kilo-clusters-"));
    const directory = resolve(wanted);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (readdirSync(directory).length === 0) return directory;
    throw new Error(`${directory} is not empty: local clusters need a directory of their own`);
}
