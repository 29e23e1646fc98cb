import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const manifest = JSON.parse(read("package.json")) as Record<
    "dependencies" | "devDependencies" | "peerDependencies",
    Record<string, string>
> & { peerDependenciesMeta: Record<string, { optional: boolean }> };
const packages = { ...manifest.dependencies, ...manifest.devDependencies };

test.each(Object.keys(packages))("%s has its reason in docs/dependencies.md", (name) => {
    expect(read("docs/dependencies.md")).toContain(`\`${name}\``);
});

test("docs/dependencies.md speaks of nothing that is not there", () => {
    const rows = read("docs/dependencies.md")
        .split("\n")
        .filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
    expect(named.filter((name) => packages[name] === undefined)).toEqual([]);
});

test.each(Object.entries(packages))("%s is pinned to one version: %s", (_, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("the Kubernetes client is optional: nobody gets it who does not ask for it", () => {
    const client = "@kubernetes/client-node";
    expect(manifest.dependencies[client]).toBeUndefined();
    expect(manifest.peerDependencies[client]).toMatch(/^\^1\./);
    expect(manifest.peerDependenciesMeta).toEqual({ [client]: { optional: true } });
});

const locked = (JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> }).packages;
interface Locked {
    readonly version?: string;
    readonly resolved?: string;
    readonly integrity?: string;
    readonly dev?: boolean;
    readonly optional?: boolean;
    readonly hasInstallScript?: boolean;
    readonly optionalDependencies?: Record<string, string>;
}

test("the lock file names no download addresses", () => {
    const addresses = Object.entries(locked).filter(([, { resolved }]) => resolved !== undefined);
    expect(addresses).toEqual([]);
});

const installed = Object.entries(locked).filter(([path]) => path !== "");

test("everything that the package brings along is explained, has a checksum in the lock file and no install script", () => {
    const brought = installed.filter(([, { dev }]) => dev !== true);
    const names = brought.map(([path]) => path.replace("node_modules/", ""));
    expect(names.sort()).toEqual(Object.keys(manifest.dependencies).sort());
    const [, section = ""] = /## Of the package\n([\s\S]*?)(?=\n## )/.exec(read("docs/dependencies.md")) ?? [];
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
    expect(brought.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
    expect(brought.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
});

test("of what is for development only programs for other platforms have no checksum", () => {
    const unchecked = installed.filter(([, { integrity }]) => integrity === undefined);
    expect(unchecked.filter(([, { dev, optional }]) => !(dev === true && optional === true))).toEqual([]);
});

test("docs/dependencies.md names every package that has an install script", () => {
    const [, section = ""] = /## Install scripts\n([\s\S]*?)(?=\n## |$)/.exec(read("docs/dependencies.md")) ?? [];
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripts.map(([path]) => path.replace(/^.*node_modules\//, ""));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

test("the lock file knows the packages of every platform: `npm ci` refuses it otherwise", () => {
    const present = new Set(Object.keys(locked).map((path) => path.replace(/^.*node_modules\//, "")));
    const wanted = Object.values(locked).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
    expect(wanted.filter((name) => !present.has(name))).toEqual([]);
});

test("what runs before a merge is what the README tells everybody to run", () => {
    expect(read(".ci/run")).toContain("npm ci && npm test");
    expect(statSync(join(ROOT, ".ci/run")).mode & 0o111).not.toBe(0);
    expect(read("README.md")).toContain("`npm ci && npm test`");
});
