import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The version of the package this file is in: the nearest package.json above it, compiled or not. */
export function packageVersion(): string {
    let directory = __dirname;
    while (!existsSync(path.join(directory, "package.json"))) directory = path.dirname(directory);
    const { version } = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8")) as { version: string };
    return version;
}
