import { mkdirSync, readFileSync } from "node:fs";
import type { Toolchain } from "../toolchain";
import { type ApiClient, apiClient } from "./api-client";
import { bootstrap, writeKubeconfig } from "./bootstrap";
import { type ClusterHandle, clusterHandle } from "./cluster-handle";
import { createCredentials } from "./credentials";
import { clusterFiles, describeCluster } from "./layout";
import { clusterNetworks } from "./networks";
import { isFree } from "./ports";
import { PortTaken, type ServerPlan, startOn, startOnFreePort } from "./server";
import { apiServerArguments } from "./server-arguments";
import type { Server, Supervision } from "./supervision";

/** A cluster that this process runs: its API server can be taken down, brought back and frozen. */
export interface LocalCluster extends ClusterHandle {
    readonly pid: number;
    /** Ends the API server; the data stay. */
    stop(): Promise<void>;
    /** Starts it again: same address, same data, same credentials. */
    start(): Promise<void>;
    /** Freezes the process: connections are accepted, nothing is answered. */
    suspend(): void;
    resume(): void;
}

export interface LocalClusterOptions {
    readonly name: string;
    readonly index: number;
    readonly directory: string;
    readonly etcdPort: number;
    readonly tools: Pick<Toolchain, "kubeApiserver">;
    readonly supervision: Supervision;
    readonly choosePort?: () => Promise<number>;
}

/** Starts a new, empty cluster and installs what a Kilo cluster has. */
export async function createLocalCluster(
    options: LocalClusterOptions,
): Promise<LocalCluster & { close(): Promise<void> }> {
    const { name, index, directory, etcdPort, tools, supervision } = options;
    const files = clusterFiles(directory, name);
    mkdirSync(files.home, { recursive: true, mode: 0o700 });
    const credentials = createCredentials(files.home);
    const { serviceCIDR } = clusterNetworks(index);
    // One client per port: a failed attempt may have left another server's certificate in mind.
    let client: ApiClient | undefined;
    const connect = (port: number): ApiClient => {
        const ca = readFileSync(credentials.caFile, "utf8");
        client ??= apiClient({ url: `https://127.0.0.1:${port}`, ca, token: credentials.adminToken });
        return client;
    };
    const plan: ServerPlan = {
        id: name,
        command: tools.kubeApiserver,
        log: files.log,
        args: async (port) => {
            await client?.close();
            client = undefined;
            return apiServerArguments({ port, etcdPort, etcdPrefix: `/${name}`, serviceCIDR, credentials });
        },
        ready: async (port) => (await connect(port).request("GET", "/readyz")) === "ok",
    };
    const { port, server } = await startOnFreePort(supervision, plan, options.choosePort);
    const values = { name, url: `https://127.0.0.1:${port}`, ca: readFileSync(credentials.caFile, "utf8") };
    writeKubeconfig(files.adminKubeconfigFile, { ...values, user: "admin", token: credentials.adminToken });
    const token = await bootstrap(connect(port));
    writeKubeconfig(files.kubeconfigFile, { ...values, user: "kilo-clustermesh", token });

    const details = describeCluster(directory, { name, index, port });
    const handle = clusterHandle(details, { request: (...args) => connect(port).request(...args) });
    const life = lifecycle(supervision, plan, port, server);
    return {
        ...handle,
        // A spread would keep the first process id for ever.
        get pid() {
            return life.pid();
        },
        stop: life.stop,
        start: life.start,
        suspend: () => void process.kill(life.pid(), "SIGSTOP"),
        resume: () => void process.kill(life.pid(), "SIGCONT"),
        close: async () => client?.close(),
    };
}

function lifecycle(supervision: Supervision, plan: ServerPlan, port: number, first: Server) {
    let server: Server | undefined = first;
    return {
        pid(): number {
            if (server === undefined) throw new Error(`Cluster ${plan.id} is stopped: call start() first`);
            return server.pid;
        },
        async stop(): Promise<void> {
            if (server === undefined) return;
            supervision.stop(plan.id);
            await server.exited;
            server = undefined;
        },
        async start(): Promise<void> {
            if (server !== undefined) return;
            if (!(await isFree(port))) {
                throw new PortTaken(
                    `Cluster ${plan.id} cannot come back: its port ${port} on 127.0.0.1 was taken by another process meanwhile`,
                );
            }
            server = await startOn(supervision, plan, port);
        },
    };
}
