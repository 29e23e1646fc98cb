import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isAlive } from "../process/identity";
import type { ClusterHandle } from "./cluster-handle";
import { connectAll } from "./connect";
import { readList } from "./layout";
import { endRun, findRecord, registryDirectory, sweep } from "./registry";

/** Clusters that another process started and kept. */
export interface AttachedClusters {
    readonly clusters: readonly ClusterHandle[];
    readonly directory: string;
    /** Closes our connections; the clusters go on. */
    close(): Promise<void>;
}

/** The kept clusters in this directory, or undefined when none run there. */
export function attachClusters(dir: string): AttachedClusters | undefined {
    const directory = resolve(dir);
    const record = findRecord(registryDirectory(), directory);
    if (record === undefined || !record.kept || !isAlive(record.supervisor)) return undefined;
    // One server per cluster and the etcd below them: a set that has lost one is of no use to anybody.
    if (record.processes.filter(isAlive).length !== readList(directory).length + 1) return undefined;
    return { ...connectAll(directory), directory };
}

/** Ends whatever runs, or was left, in this directory. False when there was nothing. */
export async function endClusters(dir: string): Promise<boolean> {
    const [directory, registry] = [resolve(dir), registryDirectory()];
    const record = findRecord(registry, directory);
    if (record === undefined) return false;
    await endRun(registry, record);
    if (existsSync(directory)) throw new Error(`The local clusters in ${directory} did not end; try again`);
    await sweep(registry);
    return true;
}
