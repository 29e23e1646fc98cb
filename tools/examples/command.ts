import { startClusters } from "../clusters";
import { buildPackage, isBuilt } from "../process/build";
import { ToolchainError, toolchain, toolchainOfAllLanguages } from "../toolchain";
import { openExample, sceneOf } from "./example-project";
import { scenes } from "./scenes";

const USAGE = `Usage: npm run example -- <name>
  Runs an example on local clusters: pulumi up, what came of it, pulumi destroy. Nothing is left behind.
  Names: ${Object.keys(scenes).join(", ")}`;

async function main([name, ...rest]: readonly string[]): Promise<void> {
    if (name === undefined || rest.length > 0 || name.startsWith("-")) throw new Error(USAGE);
    const { clusters: names } = sceneOf(name);
    // The hosts of other languages are built only for those who run an example in one.
    const getTools = /-(yaml|python|go)$/.test(name) ? toolchainOfAllLanguages : toolchain;
    const tools = await getTools({ log: (line) => console.error(line) });
    if (!isBuilt() && !(await buildPackage())) throw new Error("The package does not compile: see above");
    console.error(`Starting ${names.length} local clusters ...`);
    const set = await startClusters({ names, tools });
    try {
        const project = await openExample(name, tools, set.clusters);
        const show = { onText: (text: string) => void process.stdout.write(text) };
        try {
            for (const command of ["up", "destroy"]) {
                console.log(`\n$ pulumi ${command}`);
                const { code } = await project.pulumi([command, "--yes", "--skip-preview"], show);
                if (code !== 0) throw new Error(`pulumi ${command} failed: see above`);
            }
        } finally {
            project.remove();
        }
    } finally {
        await set.stop();
    }
}

main(process.argv.slice(2)).then(
    () => process.exit(0),
    (error: unknown) => {
        const known = error instanceof ToolchainError || (error instanceof Error && error.cause === undefined);
        console.error(known ? error.message : error);
        process.exit(1);
    },
);
