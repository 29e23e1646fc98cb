import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import type { ClusterHandle } from "../../../tools/clusters";
import { until } from "../../e2e/support/until";
import { clusterArgs } from "../../e2e/support/world";
import { startWatch, type WatchProcess } from "../../e2e/watch/watcher";

/** A watcher with a mesh file, whose runs are lines of a file. */
export interface FollowedFiles {
    readonly watch: WatchProcess;
    /** The file that the kubeconfig of a member is read from. */
    write(member: string, kubeconfig: string): void;
    /** Waits for the run after those that were waited for before. */
    nextRun(): Promise<void>;
    /** Waits until a member was told to be in this state, so many times since the start. */
    tells(member: string, state: "seen" | "silent" | "unusable", times: number): Promise<void>;
    close(): Promise<void>;
}

/** Begins with the run that a mesh file alone begins with. */
export async function followFiles(
    clusters: readonly ClusterHandle[],
    kubeconfigs: Readonly<Record<string, string>> = {},
    requestTimeout = 4,
): Promise<FollowedFiles> {
    const directory = mkdtempSync(path.join(tmpdir(), "clustermesh-watch-"));
    const write = (member: string, kubeconfig: string): void =>
        writeFileSync(path.join(directory, `${member}.yaml`), kubeconfig, { mode: 0o600 });
    const members = clusters.map((cluster) => {
        write(cluster.name, kubeconfigs[cluster.name] ?? cluster.kubeconfig);
        return { ...clusterArgs(cluster), kubeconfig: `${cluster.name}.yaml` };
    });
    writeFileSync(path.join(directory, "mesh.yaml"), stringify({ mesh: "edge", requestTimeout, clusters: members }));
    const record = path.join(directory, "runs");
    writeFileSync(record, "");
    const watch = startWatch(["--quiet", "0.2", "--", "sh", "-c", `echo run >> ${record}`], directory, process.env);
    let runs = 0;
    const count = async (): Promise<number> => readFileSync(record, "utf8").split("\n").length - 1;
    const followed: FollowedFiles = {
        watch,
        write,
        async nextRun() {
            runs++;
            const found = await until(count, (all) => all >= runs, 90);
            if (found !== runs) throw new Error(`${found} runs, not ${runs}: ${watch.printed()}`);
            await watch.says(new RegExp(`(the run succeeded[\\s\\S]*){${runs}}`));
        },
        async tells(member, state, times) {
            await watch.says(new RegExp(`( ${member} is ${state}[\\s\\S]*){${times}}`), 120);
        },
        async close() {
            if (watch.child.exitCode === null) await watch.stop();
            rmSync(directory, { recursive: true, force: true });
        },
    };
    await followed.nextRun();
    return followed;
}
