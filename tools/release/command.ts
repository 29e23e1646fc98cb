import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage } from "../process/build";
import { makeRelease } from "./release";

const USAGE = `Usage: npm run release -- <directory> [--plugin-download-url <url>] [--repository <url>]
  Builds everything that is published of this version into an empty directory: plugin archives, schema, SDKs, npm tarball.
  With --plugin-download-url the schema and the SDKs tell the engine where to download the plugin from.
  With --repository the npm package names its repository, issues and home page, as https://github.com/<owner>/<name> has them.`;

async function main(): Promise<void> {
    const { values, positionals } = parseArgs({
        options: { "plugin-download-url": { type: "string" }, repository: { type: "string" } },
        allowPositionals: true,
    });
    const [given, ...rest] = positionals;
    if (given === undefined || rest.length > 0) throw new Error(USAGE);
    const directory = resolve(given);
    if (existsSync(directory) && readdirSync(directory).length > 0) {
        throw new Error(
            `${directory} is not empty: give a new directory, so that nothing of an older release is in it`,
        );
    }
    if (!(await buildPackage())) throw new Error("The package does not compile: see above");
    const { "plugin-download-url": pluginDownloadURL, repository } = values;
    const names = await makeRelease(directory, {
        ...(pluginDownloadURL === undefined ? {} : { pluginDownloadURL }),
        ...(repository === undefined ? {} : { repository: repository.replace(/(\.git)?\/*$/, "") }),
    });
    console.log([`In ${directory}:`, ...names.map((name) => `  ${name}`)].join("\n"));
}

main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
});
