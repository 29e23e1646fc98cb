import { ToolchainError, toolchain } from ".";

/** `npm run tools`: gets every tool and prints where it is. */
toolchain().then(
    (tools) => process.stdout.write(`${JSON.stringify(tools, undefined, 2)}\n`),
    (error: unknown) => {
        console.error(error instanceof ToolchainError ? error.message : error);
        process.exitCode = 1;
    },
);
