import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create } from "tar";

interface Manifest {
    readonly name: string;
    readonly version: string;
}

/** An npm registry on loopback that offers exactly what is installed in a project, at those versions. */
export async function localRegistry(project: string): Promise<{ url: string; close(): Promise<void> }> {
    const installed = installedPackages(project);
    const server = createServer((request, response) => {
        const url = decodeURIComponent(request.url ?? "/");
        const [, name, version] = /^\/tarball\/(.+)\/([^/]+)\.tgz$/.exec(url) ?? [];
        const folder = name === undefined ? undefined : installed.get(name)?.get(version ?? "");
        if (folder !== undefined) {
            create({ gzip: true, cwd: folder, prefix: "package", portable: true }, ["."]).pipe(response);
            return;
        }
        const versions = installed.get(url.slice(1));
        if (versions === undefined) response.writeHead(404).end("{}");
        else response.end(JSON.stringify(packument(url.slice(1), versions, `http://${request.headers.host}`)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        close: async () => {
            server.closeAllConnections();
            await new Promise((resolve) => server.close(resolve));
        },
    };
}

/** By name, then version: the folder it lies in. Packages of other platforms are in the lock file but not on disk. */
function installedPackages(project: string): Map<string, Map<string, string>> {
    const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
        packages: Record<string, unknown>;
    };
    const found = new Map<string, Map<string, string>>();
    for (const path of Object.keys(packages)) {
        const folder = join(project, path);
        if (path === "" || !existsSync(join(folder, "package.json"))) continue;
        const { name, version } = manifest(folder);
        found.set(name, (found.get(name) ?? new Map()).set(version, folder));
    }
    return found;
}

function packument(name: string, folders: ReadonlyMap<string, string>, base: string): unknown {
    const versions = [...folders].map(([version, folder]) => {
        const tarball = `${base}/tarball/${encodeURIComponent(name)}/${version}.tgz`;
        return [version, { ...manifest(folder), dist: { tarball } }];
    });
    return { name, "dist-tags": { latest: [...folders.keys()].at(-1) }, versions: Object.fromEntries(versions) };
}

function manifest(folder: string): Manifest {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
