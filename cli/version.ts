import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Of the package this file is in: the nearest package.json above it, compiled or not. */
function manifest(): Manifest {
    let directory = __dirname;
    while (!existsSync(path.join(directory, "package.json"))) directory = path.dirname(directory);
    return JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8")) as Manifest;
}

export const packageVersion = (): string => manifest().version;

/** What a program needs: this version of the package, and an SDK that it accepts. */
export function ownDependencies(): Readonly<Record<string, string>> {
    const { name, version, peerDependencies } = manifest();
    const sdk = "@pulumi/pulumi";
    return { [sdk]: peerDependencies[sdk]!, [name]: `^${version}` };
}
