import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterDetails } from "./cluster-handle";
import { clusterNetworks } from "./networks";

/** The files of a set of local clusters: one directory per cluster, and a list of the clusters. */
export interface ListedCluster {
    readonly name: string;
    readonly index: number;
    readonly port: number;
}

export function clusterFiles(directory: string, name: string) {
    const home = join(directory, name);
    return {
        home,
        log: join(home, "kube-apiserver.log"),
        adminKubeconfigFile: join(home, "admin.kubeconfig"),
        kubeconfigFile: join(home, "kubeconfig"),
        caFile: join(home, "tls", "apiserver.crt"),
        tokenFile: join(home, "tokens.csv"),
    };
}

export function describeCluster(directory: string, { name, index, port }: ListedCluster): ClusterDetails {
    const files = clusterFiles(directory, name);
    return {
        name,
        index,
        port,
        url: `https://127.0.0.1:${port}`,
        caFile: files.caFile,
        etcdPrefix: `/${name}`,
        adminKubeconfig: readFileSync(files.adminKubeconfigFile, "utf8"),
        adminKubeconfigFile: files.adminKubeconfigFile,
        kubeconfig: readFileSync(files.kubeconfigFile, "utf8"),
        kubeconfigFile: files.kubeconfigFile,
        ...clusterNetworks(index),
    };
}

export function adminToken(directory: string, name: string): string {
    return readFileSync(clusterFiles(directory, name).tokenFile, "utf8").split(",")[0]!;
}

export function readList(directory: string): readonly ListedCluster[] {
    const file = join(directory, LIST);
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ListedCluster[]) : [];
}

export function writeList(directory: string, clusters: readonly ListedCluster[]): void {
    const file = join(directory, LIST);
    writeFileSync(`${file}.new`, JSON.stringify(clusters.map(({ name, index, port }) => ({ name, index, port }))));
    renameSync(`${file}.new`, file);
}

const LIST = "clusters.json";
