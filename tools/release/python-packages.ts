import { createHash } from "node:crypto";
import { type Files, tarGz, zip } from "./archive";
import { readFiles } from "./read-files";

const NAME = "pulumi_kilo_clustermesh";

/** File name → content: a wheel, which is a zip with a list of its files, and the sources. No Python is needed. */
export async function pythonPackages(
    sdk: string,
    version: string,
    license: Uint8Array,
): Promise<ReadonlyMap<string, Uint8Array>> {
    const files = new Map([...readFiles(sdk), ["LICENSE", { content: license }]]);
    const metadata = text(metadataOf(textOf(files, "pyproject.toml"), textOf(files, "README.md"), version));
    const info = `${NAME}-${version}.dist-info`;
    const packaged: Files = new Map([
        ...[...files].filter(([name]) => name.startsWith(`${NAME}/`)),
        [`${info}/METADATA`, metadata],
        [
            `${info}/WHEEL`,
            text("Wheel-Version: 1.0\nGenerator: pulumi-kilo-clustermesh\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        ],
        [`${info}/licenses/LICENSE`, { content: license }],
    ]);
    const wheel = new Map([...packaged, [`${info}/RECORD`, text(recordOf(packaged, `${info}/RECORD`))]]);
    const root = `${NAME}-${version}`;
    const sources = new Map(
        [...files, ["PKG-INFO", metadata] as const].map(([name, file]) => [`${root}/${name}`, file]),
    );
    return new Map<string, Uint8Array>([
        [`${root}-py3-none-any.whl`, zip(wheel)],
        [`${root}.tar.gz`, await tarGz(sources)],
    ]);
}

/** What pip reads of a package, out of the project file that Pulumi's generator writes. */
function metadataOf(project: string, readme: string, version: string): string {
    const [, list = "[]"] = /^ *dependencies = (\[.*\])$/m.exec(project) ?? [];
    const [, python = ">=3.9"] = /^ *requires-python = "(.*)"$/m.exec(project) ?? [];
    const requires = (JSON.parse(list) as string[]).map((each) => `Requires-Dist: ${each}`);
    return [
        "Metadata-Version: 2.1",
        `Name: ${NAME}`,
        `Version: ${version}`,
        "License: Apache-2.0",
        `Requires-Python: ${python}`,
        ...requires,
        "Description-Content-Type: text/markdown",
        "",
        readme,
    ].join("\n");
}

/** The wheel's own list: every file with its digest; the list itself stands there without one. */
function recordOf(files: Files, own: string): string {
    const lines = [...files].map(([name, { content }]) => {
        const digest = createHash("sha256").update(content).digest("base64url");
        return `${name},sha256=${digest},${content.length}`;
    });
    return `${[...lines.sort(), `${own},,`].join("\n")}\n`;
}

const text = (content: string) => ({ content: Buffer.from(content) });
const textOf = (files: Files, name: string): string => Buffer.from(files.get(name)!.content).toString("utf8");
