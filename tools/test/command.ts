import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "../process/build";
import { endChildrenWithUs, runProgram } from "../process/run-program";
import { type Toolchain, ToolchainError, toolchainOfAllLanguages, toolchainVariables } from "../toolchain";
import { duration } from "../toolchain/progress";
import { add, FAIL, lastLine, NOTHING, notRunLines, PASS, type Tally, tallyOf } from "./tally";

/** `npm test`: everything that is checked, in front of the user. The last line says `N passed, N failed`. */
async function main(): Promise<Tally> {
    let total = NOTHING;
    const step = async (title: string, work: () => Promise<Tally>) => {
        const begun = Date.now();
        console.log(`\n== ${title}`);
        const result = await work();
        console.log(`== ${title}: ${lastLine(result)} (${duration((Date.now() - begun) / 1000)})`);
        total = add(total, result);
        return result.failed === 0;
    };
    await step("types", () => check("typescript/bin/tsc", ["-p", "tsconfig.json", "--noEmit"]));
    await step("lint", () => check("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]));
    await step("unit and property tests", () => jest("unit", WORKERS));
    await step("build", async () => ((await buildPackage()) ? PASS : FAIL));
    let tools: Toolchain | undefined;
    await step("tools", async () => {
        tools = await getTools();
        return tools === undefined ? FAIL : PASS;
    });
    if (tools !== undefined) {
        const variables = toolchainVariables(tools);
        await step("tests on real servers and with injected faults", () => jest("e2e", WORKERS + 1, variables));
        await step("benchmarks, small and once", () => check("tsx/cli", ["bench/command.ts", "--quick"], variables));
    }
    return total;
}

/** Two even on two cores, and one more where servers start, processes end and timeouts pass: that is waiting, not work. */
const WORKERS = Math.max(2, availableParallelism() - 1);

async function check(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Tally> {
    return (await runProgram(program, args, env)) === 0 ? PASS : FAIL;
}

async function jest(project: string, workers: number, env: NodeJS.ProcessEnv = {}): Promise<Tally> {
    const directory = mkdtempSync(join(tmpdir(), "kilo-tests-"));
    const report = join(directory, "report.json");
    try {
        const args = ["--selectProjects", project, `--maxWorkers=${workers}`, "--json", `--outputFile=${report}`];
        await runProgram("jest/bin/jest", args, env);
        return tallyOf(JSON.parse(readFileSync(report, "utf8")));
    } catch (error) {
        console.error(`jest ended without a report: ${error instanceof Error ? error.message : error}`);
        return FAIL;
    } finally {
        rmSync(directory, { recursive: true, force: true });
    }
}

async function getTools(): Promise<Toolchain | undefined> {
    try {
        return await toolchainOfAllLanguages({ log: (line) => console.log(line) });
    } catch (error) {
        console.error(error instanceof ToolchainError ? error.message : error);
        return undefined;
    }
}

endChildrenWithUs();
main().then(
    (total) => {
        console.log(["", ...notRunLines(total), lastLine(total)].join("\n"));
        process.exitCode = total.failed === 0 ? 0 : 1;
    },
    (error: unknown) => {
        console.error(error);
        console.log(`\n${lastLine(FAIL)}`);
        process.exitCode = 1;
    },
);
