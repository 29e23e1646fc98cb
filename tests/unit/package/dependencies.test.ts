import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const manifest = JSON.parse(read("package.json")) as Record<"dependencies" | "devDependencies", Record<string, string>>;
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

const locked = (JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> }).packages;
interface Locked {
    readonly version?: string;
    readonly resolved?: string;
    readonly optionalDependencies?: Record<string, string>;
}

test("the lock file names no download addresses", () => {
    const addresses = Object.entries(locked).filter(([, { resolved }]) => resolved !== undefined);
    expect(addresses).toEqual([]);
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
