import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { ROOT } from "./run-program";

export const LICENSES = "THIRD-PARTY-LICENSES.txt";

/** Most licences demand that their text goes with every copy; a bundle has no place for it. */
export function thirdPartyLicenses({ outputs }: Metafile): string {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    const parts = bundledPackages(inputs).map(({ directory, name }) => {
        const { version, license }: { version: string; license?: string } = JSON.parse(
            readFileSync(join(ROOT, directory, "package.json"), "utf8"),
        );
        const texts = readdirSync(join(ROOT, directory))
            .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
            .sort()
            .map((file) => readFileSync(join(ROOT, directory, file), "utf8").trim());
        if (license === undefined && texts.length === 0) throw new Error(`${directory} does not say its licence`);
        return [`${name} ${version} (${license ?? "see below"})`, ...texts].join("\n\n");
    });
    const line = `\n\n${"=".repeat(80)}\n\n`;
    return `${["This directory contains code of the following packages.", ...parts].join(line)}\n`;
}

/** Directories below node_modules, each once, sorted. */
function bundledPackages(inputs: readonly string[]): readonly { readonly directory: string; readonly name: string }[] {
    const directories = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
    return [...new Set(directories)].sort().map((directory) => {
        return { directory, name: directory.slice(directory.lastIndexOf("node_modules/") + "node_modules/".length) };
    });
}
