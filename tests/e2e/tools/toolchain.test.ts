import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { pulumiEnvironment } from "../../../tools/pulumi/environment";
import { type Toolchain, toolchain, toolchainVariables } from "../../../tools/toolchain";

const run = promisify(execFile);
let tools: Toolchain;
beforeAll(async () => {
    tools = await toolchain();
});

test("every tool is there and runs", async () => {
    for (const path of Object.values(tools)) expect(isAbsolute(path)).toBe(true);
    expect((await run(tools.pulumi, ["version"])).stdout).toMatch(/^v?3\./);
    expect((await run(tools.kubeApiserver, ["--version"])).stdout).toMatch(/^Kubernetes v1\./);
    expect((await run(tools.etcd, ["--version"])).stdout).toMatch(/^etcd Version: 3\./);
    expect((await run(tools.kubectl, ["version", "--client"])).stdout).toMatch(/v1\./);
});

test("pulumi and its two hosts lie side by side", () => {
    for (const path of [tools.pulumi, tools.pulumiLanguageNodejs, tools.pulumiResourceNodejs]) {
        expect(dirname(path)).toBe(tools.binDir);
    }
    expect(readdirSync(tools.binDir)).toEqual(
        expect.arrayContaining(["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]),
    );
});

test("a process that is told of them by variables takes the very same, and looks no further", async () => {
    const env = { ...toolchainVariables(tools), PATH: "" };
    const log = (line: string) => {
        throw new Error(line);
    };
    const again = await toolchain({ env, cache: join(tools.binDir, "unused"), log });
    expect(again).toEqual(tools);
});

test("pulumi works in the environment made for it, in a directory of its own and without complaint", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kilo-pulumi-"));
    try {
        const env = pulumiEnvironment(tools, directory);
        const options = { cwd: directory, env };
        const { stdout, stderr } = await run("pulumi", ["whoami", "--verbose", "--non-interactive"], options);
        expect(stdout).toContain(`file://${directory}`);
        expect(stderr).toBe("");
    } finally {
        rmSync(directory, { recursive: true, force: true });
    }
});
