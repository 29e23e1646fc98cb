import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { attachClusters, endClusters } from "../../../tools/clusters/attach";
import { ROOT } from "../../../tools/process/run-program";
import { codeBlocks } from "../../unit/docs/support/code-blocks";
import { Clone } from "../tools/clone";

jest.setTimeout(600_000);

const clone = new Clone();
afterAll(async () => {
    await endClusters(clone.clusters);
    clone.remove();
});

/** The shell blocks of the README's quick start, in order. */
const blocks = (() => {
    const lines = readFileSync(path.join(ROOT, "README.md"), "utf8").split("\n");
    const from = lines.indexOf("## Quick start");
    const to = lines.findIndex((line, at) => at > from && line.startsWith("## "));
    return codeBlocks("README.md")
        .filter(({ language, line }) => language === "sh" && line > from && line <= to)
        .map(({ text }) => text);
})();

/** Everything in one shell, as someone types it who follows the page; ends at the first command that fails. */
const typed = (script: string): Promise<{ code: number; text: string }> =>
    new Promise((resolve) => {
        execFile(
            "bash",
            ["-e", "-o", "pipefail", "-c", script],
            { cwd: clone.directory, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 },
            (error, stdout, stderr) =>
                resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
        );
    });

test("whoever types what the README says gets a mesh, changes it, breaks it and repairs it", async () => {
    const [change, watch, ...breakAndRepair] = blocks;
    expect(breakAndRepair).toHaveLength(2);
    const changed = await typed(`npm start\n${change}`);
    if (changed.code !== 0) throw new Error(changed.text);

    expect(watch).toBe("npm start -- --watch");
    const watching = clone.npmStart("--watch");
    await watching.printed("It goes on watching; ^C ends it");
    process.kill(-watching.child.pid!, "SIGINT");
    expect(await watching.finished).toMatchObject({ text: expect.stringContaining("The watcher has ended") });

    const { code, text } = await typed(breakAndRepair.join("\n"));
    if (code !== 0) throw new Error(text);
    expect(text).toContain("missing in the cluster, will be created");
    expect(text).toMatch(/cairo.*(unreachable|could not)/);

    const attached = attachClusters(clone.clusters)!;
    const held = await Promise.all(attached.clusters.map(async (cluster) => (await cluster.listPeers()).length));
    await attached.close();
    // Two nodes joined amsterdam; cairo is one location.
    expect(held).toEqual([3 + 1, 5 + 1, 5 + 3]);
});

test("and is left with nothing after `npm start -- --stop`", async () => {
    expect((await typed("npm start && npm start -- --destroy && npm start -- --stop")).code).toBe(0);
    expect(attachClusters(clone.clusters)).toBeUndefined();
});
