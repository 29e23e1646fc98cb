import { ToolchainError, toolchain, toolchainOfAllLanguages } from ".";

/** `npm run tools`: gets every tool and prints where it is; with `--all` also the hosts of the other languages. */
const get = process.argv.includes("--all") ? toolchainOfAllLanguages : toolchain;
get().then(
    (tools) => process.stdout.write(`${JSON.stringify(tools, undefined, 2)}\n`),
    (error: unknown) => {
        console.error(error instanceof ToolchainError ? error.message : error);
        process.exitCode = 1;
    },
);
