import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { binDirectory } from "../../../../tools/toolchain/bin-directory";
import { cacheDirectory } from "../../../../tools/toolchain/cache-directory";
import { catalogue, languageHosts } from "../../../../tools/toolchain/catalogue";
import { defaultContext } from "../../../../tools/toolchain/context";
import { duration, withProgress } from "../../../../tools/toolchain/progress";
import { isAtLeast, type Tool } from "../../../../tools/toolchain/tool";

describe("the cache directory", () => {
    test.each([
        [{ KILO_CLUSTERMESH_CACHE: "/big/disk", XDG_CACHE_HOME: "/x", HOME: "/h" }, "linux", "/big/disk"],
        [{ XDG_CACHE_HOME: "/x", HOME: "/h" }, "linux", "/x/pulumi-kilo-clustermesh"],
        [{ XDG_CACHE_HOME: "relative", HOME: "/h" }, "linux", "/h/.cache/pulumi-kilo-clustermesh"],
        [{ HOME: "/h" }, "linux", "/h/.cache/pulumi-kilo-clustermesh"],
        [{ HOME: "/h" }, "darwin", "/h/Library/Caches/pulumi-kilo-clustermesh"],
    ] as const)("with %j on %s it is %s", (env, platform, expected) => {
        expect(cacheDirectory(env, platform)).toBe(expected);
    });

    test("a relative override is refused, because it would mean another place in every directory", () => {
        expect(() => cacheDirectory({ KILO_CLUSTERMESH_CACHE: "here" })).toThrow("give an absolute path");
    });
});

describe("versions", () => {
    test.each([
        ["3.259.0", "3.200.0", true],
        ["3.200.0", "3.200.0", true],
        ["3.199.9", "3.200.0", false],
        ["v1.35.4+build", "1.30.0", true],
        ["1.9.0", "1.10.0", false],
        ["1.26", "1.25.11", true],
        ["1.25", "1.25.11", false],
        ["rubbish", "0.0.1", false],
    ])("%s is at least %s: %s", (version, minimum, expected) => {
        expect(isAtLeast(version, minimum)).toBe(expected);
    });
});

describe("the catalogue", () => {
    const tools: readonly Tool[] = [...Object.values(catalogue), ...Object.values(languageHosts)];

    test("names every tool and every variable once", () => {
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
        expect(new Set(tools.map(({ variable }) => variable)).size).toBe(tools.length);
    });

    test("builds every tool from a pinned module that is in this repository", () => {
        const modules = readdirSync(defaultContext().goModules);
        for (const { build } of tools) expect(modules).toContain(build.module);
    });

    test("downloads over https, with published checksums, from the same release", () => {
        for (const tool of tools) {
            const source = tool.download?.("linux", "x64");
            expect(source?.url).toMatch(/^https:\/\//);
            expect(source?.checksums).toMatch(/^https:\/\//);
            expect(source?.url).toContain(`v${source?.version}`);
        }
    });

    test("offers no download for a machine nothing is published for", () => {
        for (const tool of tools) expect(tool.download?.("linux", "riscv64")).toBeUndefined();
    });
});

describe("the directory of pulumi's programs", () => {
    let directory: string;
    beforeEach(() => {
        directory = realpathSync(mkdtempSync(join(tmpdir(), "kilo-bin-")));
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    const file = (folder: string, name: string) => {
        mkdirSync(join(directory, folder), { recursive: true });
        writeFileSync(join(directory, folder, name), name, { mode: 0o755 });
        return join(directory, folder, name);
    };
    const context = () => defaultContext({ cache: join(directory, "cache") });

    test("is the installation itself when it is complete", async () => {
        const files = {
            cli: file("a", "pulumi"),
            languageHosts: [file("a", "host")],
            providerHost: file("npm", "shim"),
        };
        file("a", "shim");
        expect(await binDirectory(context(), files)).toBe(join(directory, "a"));
    });

    test("is put together once when the three lie apart", async () => {
        const files = { cli: file("a", "pulumi"), languageHosts: [file("b", "host")], providerHost: file("c", "shim") };
        const first = await binDirectory(context(), files);
        expect(readdirSync(first).sort()).toEqual(["host", "pulumi", "shim"]);
        expect(await binDirectory(context(), files)).toBe(first);
        expect(readdirSync(join(directory, "cache"))).toHaveLength(1);
    });

    test("is another one when a program has changed", async () => {
        const files = { cli: file("a", "pulumi"), languageHosts: [file("b", "host")], providerHost: file("c", "shim") };
        const first = await binDirectory(context(), files);
        rmSync(files.cli);
        writeFileSync(files.cli, "a newer pulumi", { mode: 0o755 });
        expect(await binDirectory(context(), files)).not.toBe(first);
    });
});

describe("progress", () => {
    test("a long step says now and then that it still goes on", async () => {
        const lines: string[] = [];
        await withProgress({ log: (line) => lines.push(line), heartbeatMs: 10 }, "Compiling", 90, () => sleep(60));
        expect(lines[0]).toBe("Compiling (usually 1 min 30 s on two cores) ...");
        expect(lines[1]).toMatch(/^Compiling: .* so far \(usually 1 min 30 s on two cores\)$/);
        expect(lines.at(-1)).toMatch(/^Compiling: done in /);
    });

    test.each([
        [0.4, "0 s"],
        [59.4, "59 s"],
        [60, "1 min 00 s"],
        [275, "4 min 35 s"],
    ])("%d seconds read %s", (seconds, text) => {
        expect(duration(seconds)).toBe(text);
    });
});
