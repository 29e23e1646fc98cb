import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findTools, ToolchainError } from "../../../../tools/toolchain";
import { type Workshop, widget, workshop } from "./workshop";

let shop: Workshop;
beforeEach(() => {
    shop = workshop();
});
afterEach(() => shop.remove());

const find = async () => (await findTools(shop.context, [widget()])).get("widget")!;
const failure = () =>
    find().then(
        () => undefined,
        (error: unknown) => error,
    );
const inCache = () => readdirSync(shop.cache).sort();

describe("building with Go", () => {
    test("the first call builds, with what and how long it takes; the second takes it from the cache", async () => {
        shop.installGo();
        const first = await find();
        expect(statSync(first).mode & 0o111).not.toBe(0);
        expect(shop.lines).toContain("Building 1 tools with Go, once: usually 42 s on two cores, then cached");
        expect(shop.lines).toContain("Compiling widget 2.0.0 (usually 42 s on two cores) ...");
        expect(await find()).toBe(first);
        expect(shop.builds()).toBe(1);
    });

    test("nothing half done is left in the cache", async () => {
        shop.installGo();
        await find();
        expect(inCache()).toEqual([`widget-2.0.0-${process.platform}-${process.arch}`]);
    });

    test.each([
        ["altered", (path: string) => writeFileSync(path, "#!/bin/sh\necho widget v2.0.0\n")],
        ["cut short", (path: string) => truncateSync(path, 10)],
    ])("a cached binary that was %s is noticed, said, and built again", async (_, damage) => {
        shop.installGo();
        const path = await find();
        const good = readFileSync(path, "utf8");
        damage(path);
        expect(await find()).toBe(path);
        expect(readFileSync(path, "utf8")).toBe(good);
        expect(shop.lines).toContain("The cached widget 2.0.0 is damaged: getting it again");
        expect(shop.builds()).toBe(2);
    });

    test("without Go and without a download there is one error that says what to install", async () => {
        const error = await failure();
        expect(error).toBeInstanceOf(ToolchainError);
        expect(String(error)).toContain("there is no Go on PATH");
        expect(String(error)).toContain("- widget (or set TEST_WIDGET)");
        expect(String(error)).toContain("Install Go 1.25.11 or newer (https://go.dev/dl)");
    });

    test("an old Go is named with the version that is needed, and nothing is compiled with it", async () => {
        shop.installGo({ version: "1.19.4" });
        expect(String(await failure())).toContain("the Go on PATH is 1.19.4, and 1.25.3 or newer is needed");
        expect(shop.builds()).toBe(0);
    });

    test("a full disk is called that, with how much room it takes and where else to put it", async () => {
        shop.installGo({ instead: `console.error("write /x: no space left on device"); process.exit(1);` });
        const error = await failure();
        expect(error).toBeInstanceOf(ToolchainError);
        expect(String(error)).toContain(`The disk is full: ${shop.cache}`);
        expect(String(error)).toContain("KILO_CLUSTERMESH_CACHE");
    });

    test("a failed build shows the end of what Go said and what can be done", async () => {
        shop.installGo({ instead: `console.error("proxy.example: connection refused"); process.exit(1);` });
        const error = await failure();
        expect(String(error)).toContain("Building widget 2.0.0 failed:\n    proxy.example: connection refused");
        expect(String(error)).toContain("go env GOPROXY");
        expect(inCache()).toEqual([]);
    });

    test("a binary that was built but does not run is not kept", async () => {
        shop.installGo({ instead: `fs.writeFileSync(rest[rest.indexOf("-o") + 1], "garbage", { mode: 0o755 });` });
        expect(String(await failure())).toContain("it was built but does not run");
        expect(inCache()).toEqual([]);
    });

    test("what a killed process left half done, its lock too, is cleared away", async () => {
        mkdirSync(join(shop.cache, "staging-999999999-0123456789ab-xyz"), { recursive: true });
        writeFileSync(join(shop.cache, "lock"), JSON.stringify({ pid: 999999999, started: "long ago" }));
        shop.installGo();
        await find();
        expect(inCache()).toEqual([`widget-2.0.0-${process.platform}-${process.arch}`]);
    });

    test("a lock file that cannot be read does not block forever", async () => {
        mkdirSync(shop.cache, { recursive: true });
        writeFileSync(join(shop.cache, "lock"), "");
        shop.installGo();
        await expect(find()).resolves.toContain("widget");
    });

    test("two processes at once build a tool once", async () => {
        shop.installGo({
            instead: `const at = rest[rest.indexOf("-o") + 1];
                setTimeout(() => fs.writeFileSync(at, "#!${process.execPath}\\nconsole.log('widget v2.0.0')", { mode: 0o755 }), 500);`,
        });
        const results = await Promise.all([inAnotherProcess(), inAnotherProcess(), inAnotherProcess()]);
        expect(new Set(results).size).toBe(1);
        expect(results[0]).toContain(shop.cache);
        expect(shop.builds()).toBe(1);
    });
});

/** Finds the widget in a process of its own and returns the path it printed. */
async function inAnotherProcess(): Promise<string> {
    const tools = join(__dirname, "../../../../tools/toolchain");
    const { env, cache, goModules } = shop.context;
    const code = `
        const { findTools } = require(${JSON.stringify(tools)});
        const { defaultContext } = require(${JSON.stringify(join(tools, "context"))});
        const context = defaultContext(${JSON.stringify({ env, cache, goModules })});
        const tool = { ...${JSON.stringify(widget())}, probe: undefined };
        findTools(context, [tool]).then((found) => console.log(found.get("widget")));`;
    const child = spawn(process.execPath, ["--import", require.resolve("tsx"), "-e", code], { cwd: __dirname });
    let text = "";
    child.stdout.on("data", (chunk) => {
        text += chunk;
    });
    await new Promise((resolve) => child.once("close", resolve));
    return text.trim();
}
