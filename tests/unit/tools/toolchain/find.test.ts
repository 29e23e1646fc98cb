import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findTools } from "../../../../tools/toolchain";
import { type Workshop, widget, workshop } from "./workshop";

let shop: Workshop;
beforeEach(() => {
    shop = workshop();
});
afterEach(() => shop.remove());

const find = async (env: NodeJS.ProcessEnv = {}, tool = widget()) =>
    (await findTools({ ...shop.context, env: { ...shop.context.env, ...env } }, [tool])).get(tool.name);

describe("a tool that is already here", () => {
    test("the environment variable wins over everything else, whatever version it names", async () => {
        const named = shop.program("old-widget", "1.0.0", join(shop.directory, "elsewhere"));
        shop.program("widget", "2.1.0");
        expect(await find({ TEST_WIDGET: named })).toBe(named);
    });

    test("a variable that names no executable file is an error that says so, not a reason to look further", async () => {
        shop.program("widget", "2.1.0");
        const plain = join(shop.directory, "plain");
        writeFileSync(plain, "not executable", { mode: 0o644 });
        await expect(find({ TEST_WIDGET: plain })).rejects.toThrow(
            `TEST_WIDGET is ${plain}, which is not an executable`,
        );
        await expect(find({ TEST_WIDGET: shop.directory })).rejects.toThrow("not an executable file");
    });

    test("KUBEBUILDER_ASSETS comes before PATH", async () => {
        const assets = join(shop.directory, "assets");
        const inAssets = shop.program("widget", "2.2.0", assets);
        shop.program("widget", "2.1.0");
        expect(await find({ KUBEBUILDER_ASSETS: assets })).toBe(inAssets);
    });

    test("KUBEBUILDER_ASSETS without the tool is an error that names both", async () => {
        const assets = join(shop.directory, "assets");
        mkdirSync(assets);
        await expect(find({ KUBEBUILDER_ASSETS: assets })).rejects.toThrow(`${assets}, but widget is not in it`);
    });

    test("KUBEBUILDER_ASSETS does not matter to tools that are not Kubernetes'", async () => {
        const onPath = shop.program("widget", "2.1.0");
        expect(await find({ KUBEBUILDER_ASSETS: "/nowhere" }, widget({ kubebuilder: false }))).toBe(onPath);
    });

    test("a suitable one on PATH is used and nothing is built", async () => {
        shop.installGo();
        const onPath = shop.program("widget", "2.1.0");
        expect(await find()).toBe(onPath);
        expect(shop.builds()).toBe(0);
    });

    test("one on PATH that is too old is passed over, and the reader is told", async () => {
        shop.installGo();
        shop.program("widget", "1.9.9");
        expect(await find()).toContain(shop.cache);
        expect(shop.lines[0]).toBe("widget on PATH is 1.9.9, 2.0.0 or newer is needed: not used");
    });

    test("one on PATH that does not tell its version is passed over", async () => {
        shop.installGo();
        shop.program("widget", "unknown");
        expect(await find()).toContain(shop.cache);
        expect(shop.lines[0]).toContain("does not tell its version");
    });

    test("a companion without a version of its own is taken only from beside the tool it belongs to", async () => {
        const { probe: _, ...rest } = widget({ name: "widget-host", variable: "TEST_HOST", beside: "widget" });
        const main = shop.program("widget", "2.1.0");
        const host = shop.program("widget-host", "");
        expect((await findTools(shop.context, [widget(), rest])).get("widget-host")).toBe(host);

        const aside = shop.program("widget", "2.1.0", join(shop.directory, "aside"));
        shop.installGo();
        const env = { ...shop.context.env, TEST_WIDGET: aside };
        expect((await findTools({ ...shop.context, env }, [widget(), rest])).get("widget-host")).toContain(shop.cache);
        expect(main).not.toBe(aside);
    });
});
