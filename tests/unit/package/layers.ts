import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** The rule of the layers: what a part of the source may import, besides itself. */
export interface Layer {
    /** Paths that belong to it: a file, or a folder with a slash at the end. */
    readonly paths: readonly string[];
    /** Names of the layers below it that it may use. */
    readonly uses: readonly string[];
    /** Packages it may use; `node:` stands for every module of Node. */
    readonly packages: readonly string[];
}

export interface Import {
    /** Relative to the root, as are all paths here. */
    readonly file: string;
    /** A package, a `node:` module, or the path of a file of ours without its extension. */
    readonly target: string;
}

/** One line per import that breaks the rule, and per file that no layer claims. */
export function violations(layers: Readonly<Record<string, Layer>>, imports: readonly Import[]): readonly string[] {
    const layerOf = (path: string) =>
        Object.keys(layers).find((name) =>
            layers[name]!.paths.some((part) => (part.endsWith("/") ? path.startsWith(part) : path === part)),
        );
    return imports.flatMap(({ file, target }) => {
        const own = layerOf(file);
        if (own === undefined) return [`${file} belongs to no layer`];
        const { uses, packages } = layers[own]!;
        const below = layerOf(target);
        const allowed =
            below === undefined
                ? packages.some((name) => target === name || target.startsWith(`${name}/`) || isNode(name, target))
                : below === own || uses.includes(below);
        return allowed ? [] : [`${file} (${own}) imports ${target}`];
    });
}

function isNode(name: string, target: string): boolean {
    return name === "node:" && target.startsWith("node:");
}

export function importsUnder(root: string, folders: readonly string[]): readonly Import[] {
    return folders.flatMap((folder) => filesUnder(join(root, folder))).flatMap((file) => importsOf(root, file));
}

export function filesUnder(folder: string): readonly string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .sort()
        .map((name) => join(folder, name));
}

function importsOf(root: string, file: string): readonly Import[] {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
    return importedFiles.map(({ fileName }) => ({
        file: relative(root, file).replace(/\.ts$/, ""),
        target: fileName.startsWith(".") ? relative(root, entry(resolve(dirname(file), fileName))) : fileName,
    }));
}

/** `./mesh` may be a folder with an index. */
function entry(path: string): string {
    return ts.sys.directoryExists(path) && !ts.sys.fileExists(`${path}.ts`) ? join(path, "index") : path;
}
