import { execFileSync } from "node:child_process";
import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { FaultProxy } from "../../support/fault-proxy";
import { processTree } from "../../support/processes";
import type { Project, Running } from "./project";

/** More than a lock takes, and less than any state. */
const ROOM = 1024;

/**
 * From the first write to a cluster on, no file that the engine writes can grow any more: to it the disk is full. A
 * limit of the process needs no rights and no mount, and the engine's answer to it is the same.
 */
export function fillDiskAtFirstWrite(running: Running, proxies: Iterable<FaultProxy>): void {
    let full = false;
    const fill = (): void => {
        if (full) return;
        full = true;
        const [engine] = processTree(running.pid);
        execFileSync("prlimit", ["--pid", String(engine?.pid), `--fsize=${ROOM}`]);
    };
    for (const proxy of proxies) {
        proxy.inject({
            fault: { kind: "reset" },
            when: ({ write }) => {
                if (write) fill();
                return false;
            },
        });
    }
}

const backend = ({ dir }: Project): string => path.join(dir, ".pulumi");

export async function isStateIntact(project: Project): Promise<boolean> {
    return isJson(await project.stateFile());
}

/** As docs/errors.md says, "failed to load checkpoint": the newest backup that is whole becomes the state. */
export async function restoreState(project: Project): Promise<void> {
    const backups = path.join(backend(project), "backups/meshes", project.stack);
    for (const name of (await readdir(backups))
        .filter((each) => each.endsWith(".json"))
        .sort()
        .reverse()) {
        const file = path.join(backups, name);
        if (!isJson(await readFile(file, "utf8"))) continue;
        return copyFile(file, path.join(backend(project), `stacks/meshes/${project.stack}.json`));
    }
    throw new Error("no backup is whole");
}

/** The stack as if it had never been: what is left when the very first run found the disk full. */
export async function forgetState(project: Project): Promise<void> {
    for (const folder of ["stacks", "locks"]) await rm(path.join(backend(project), folder), { recursive: true });
    const { code, text } = await project.run(["stack", "init", project.stack]);
    if (code !== 0) throw new Error(text);
}

function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}
