import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { buildPlugin } from "../plugin/build";
import { ROOT } from "../process/run-program";
import { makeSchema } from "../schema/make-schema";
import { generateSdks } from "../sdks/generate";
import { tarGz } from "./archive";
import { pythonPackages } from "./python-packages";
import { readFiles } from "./read-files";

/** The engine asks for the archive of its machine. The plugin runs on Node, so all have the same content. */
const MACHINES = ["linux", "darwin", "windows"].flatMap((os) => ["amd64", "arm64"].map((arch) => `${os}-${arch}`));

/** SDKs that are released as sources. */
const SOURCES = ["dotnet", "go", "java"];

export interface ReleaseSettings {
    /** Where the engine may download the plugin from: it goes into the schema and from there into the SDKs. */
    readonly pluginDownloadURL?: string;
    /** Where the sources are, as a browser opens it: it goes into the npm package, with its issues and its home page. */
    readonly repository?: string;
}

/**
 * Everything that is published of a version, in one directory: plugin archives, schema, SDKs, npm tarball, checksums.
 * `dist` must have been built. The same sources give the same bytes.
 */
export async function makeRelease(directory: string, settings: ReleaseSettings = {}): Promise<readonly string[]> {
    const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const license = readFileSync(join(ROOT, "LICENSE"));
    const staging = mkdtempSync(join(tmpdir(), "kilo-release-"));
    try {
        mkdirSync(directory, { recursive: true });
        const schema = makeSchema(settings);
        writeFileSync(join(directory, "schema.json"), schema);
        const write = (name: string, content: Uint8Array) => writeFileSync(join(directory, name), content);

        const plugin = await pluginArchive(join(staging, "plugin"), schema, license);
        for (const machine of MACHINES) {
            write(`pulumi-resource-kilo-clustermesh-v${version}-${machine}.tar.gz`, plugin);
        }
        const sdk = await sdkSources(join(staging, "sdk"), join(directory, "schema.json"), settings);
        for (const [name, content] of await pythonPackages(join(sdk, "python"), version, license)) write(name, content);
        for (const language of SOURCES) {
            const root = `pulumi-kilo-clustermesh-sdk-${language}-${version}`;
            const files = readFiles(join(sdk, language), `${root}/`);
            write(`${root}.tar.gz`, await tarGz(new Map([...files, [`${root}/LICENSE`, { content: license }]])));
        }
        await npmTarball(directory);
        if (settings.repository !== undefined) {
            const tarball = `pulumi-kilo-clustermesh-${version}.tgz`;
            write(tarball, await withAddresses(join(directory, tarball), join(staging, "npm"), settings.repository));
        }
        const names = readdirSync(directory)
            .filter((name) => name !== SUMS)
            .sort();
        write(SUMS, Buffer.from(names.map((name) => `${digest(join(directory, name))}  ${name}\n`).join("")));
        return [...names, SUMS];
    } finally {
        rmSync(staging, { recursive: true, force: true });
    }
}

const SUMS = "SHA256SUMS";

async function pluginArchive(directory: string, schema: string, license: Uint8Array): Promise<Buffer> {
    await buildPlugin(directory);
    writeFileSync(join(directory, "schema.json"), schema);
    return tarGz(new Map([...readFiles(directory), ["LICENSE", { content: license }]]));
}

/** The committed SDKs are those of the schema without settings; with settings they are generated again, with Go. */
async function sdkSources(staging: string, schema: string, { pluginDownloadURL }: ReleaseSettings): Promise<string> {
    const committed = join(ROOT, "sdk");
    if (pluginDownloadURL === undefined) return committed;
    for (const language of ["python", ...SOURCES])
        cpSync(join(committed, language), join(staging, language), { recursive: true });
    await generateSdks(schema, staging);
    return staging;
}

async function npmTarball(directory: string): Promise<void> {
    const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", directory];
    await promisify(execFile)("npm", args, { cwd: ROOT });
}

/** npm packs what is committed, and that has no address: who publishes it says where it is. */
async function withAddresses(tarball: string, staging: string, repository: string): Promise<Buffer> {
    mkdirSync(staging);
    await extract({ file: tarball, cwd: staging });
    const file = join(staging, "package", "package.json");
    const manifest = {
        ...JSON.parse(readFileSync(file, "utf8")),
        repository: { type: "git", url: `git+${repository}.git` },
        bugs: { url: `${repository}/issues` },
        homepage: `${repository}#readme`,
    };
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 4)}\n`);
    return tarGz(readFiles(staging));
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
