import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ArchivedFile, Files } from "./archive";

/** The files below a directory, under another name for it; what Python and Go leave behind when they run is left out. */
export function readFiles(directory: string, prefix = ""): Files {
    const names = readdirSync(directory, { recursive: true, encoding: "utf8" })
        .map((name) => name.replaceAll("\\", "/"))
        .filter((name) => statSync(join(directory, name)).isFile() && !/(^|\/)(__pycache__|\.git\w+)(\/|$)/.test(name));
    return new Map(names.map((name) => [`${prefix}${name}`, readFile(join(directory, name))]));
}

function readFile(file: string): ArchivedFile {
    return { content: readFileSync(file), executable: (statSync(file).mode & 0o100) !== 0 };
}
