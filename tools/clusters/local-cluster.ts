import { mkdirSync, readFileSync } from "node:fs";
import type { Toolchain } from "../toolchain";
import { type ApiClient, apiClient } from "./api-client";
import { bootstrap, writeKubeconfig } from "./bootstrap";
import { type ClusterHandle, clusterHandle } from "./cluster-handle";
import { createCredentials } from "./credentials";
import { clusterFiles, describeCluster } from "./layout";
import { clusterNetworks } from "./networks";
import { type ServerPlan, startOnFreePort } from "./server";
import { apiServerArguments } from "./server-arguments";
import { type ServerLife, serverLife } from "./server-life";
import type { Supervision } from "./supervision";

/** A cluster that this process runs: its API server can be taken down, brought back and frozen. */
export interface LocalCluster extends ClusterHandle, ServerLife {}

export interface LocalClusterOptions {
    readonly name: string;
    readonly index: number;
    readonly directory: string;
    readonly etcdPort: number;
    readonly tools: Pick<Toolchain, "kubeApiserver">;
    readonly supervision: Supervision;
    readonly choosePort?: () => Promise<number>;
    readonly serverArguments?: readonly string[];
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
    let client: ApiClient | undefined;
    const connect = (port: number): ApiClient => {
        client ??= apiClient({
            url: `https://127.0.0.1:${port}`,
            ca: readFileSync(credentials.caFile, "utf8"),
            token: credentials.adminToken,
        });
        return client;
    };
    const disconnect = async (): Promise<void> => {
        const former = client;
        client = undefined;
        await former?.close();
    };
    const plan: ServerPlan = {
        id: name,
        command: tools.kubeApiserver,
        log: files.log,
        args: async (port) => [
            ...apiServerArguments({ port, etcdPort, etcdPrefix: `/${name}`, serviceCIDR, credentials }),
            ...(options.serverArguments ?? []),
        ],
        ready: async (port) => {
            try {
                return (await connect(port).request("GET", "/readyz")) === "ok";
            } catch (error) {
                // The server writes its certificate itself: half of one, or another server's on that port, must not be kept.
                await disconnect();
                throw error;
            }
        },
    };
    const { port, server } = await startOnFreePort(supervision, plan, options.choosePort);
    const values = { name, url: `https://127.0.0.1:${port}`, ca: readFileSync(credentials.caFile, "utf8") };
    writeKubeconfig(files.adminKubeconfigFile, { ...values, user: "admin", token: credentials.adminToken });
    const token = await bootstrap(connect(port));
    writeKubeconfig(files.kubeconfigFile, { ...values, user: "kilo-clustermesh", token });

    const details = describeCluster(directory, { name, index, port });
    const handle = clusterHandle(details, { request: (...args) => connect(port).request(...args) });
    const life = serverLife(supervision, plan, port, server);
    return {
        ...handle,
        // A spread would keep the first process id forever.
        get pid() {
            return life.pid;
        },
        stop: life.stop,
        kill: life.kill,
        start: life.start,
        suspend: life.suspend,
        resume: life.resume,
        close: disconnect,
    };
}
