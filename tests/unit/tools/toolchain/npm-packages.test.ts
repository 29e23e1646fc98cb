import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolchainError } from "../../../../tools/toolchain";
import { npmPackages } from "../../../../tools/toolchain/npm-packages";
import { executable, type Workshop, workshop } from "./workshop";

let place: Workshop;
beforeEach(() => {
    place = workshop();
});
afterEach(() => place.remove());

const calls = (): string => join(place.directory, "calls");

/** Puts an npm on PATH that notes its arguments and then does this. */
function installNpm(code: string): void {
    const note = `const fs = require("node:fs"); fs.appendFileSync(${JSON.stringify(calls())}, process.argv.slice(2).join(" ") + "\\n");`;
    writeFileSync(join(place.bin, "npm"), executable(`${note}\n${code}`), { mode: 0o755 });
}

const INSTALL = 'fs.mkdirSync("node_modules/widget", { recursive: true });';
const widget = (version = "1.0.0") => npmPackages(place.context, "widgets", { widget: version });

test("packages are installed once, without running their scripts, and it is said", async () => {
    installNpm(INSTALL);
    const modules = await widget();
    expect(readdirSync(modules)).toEqual(["widget"]);
    expect(await widget()).toBe(modules);
    const [call, ...more] = readFileSync(calls(), "utf8").trim().split("\n");
    expect(call).toContain("--ignore-scripts");
    expect(more).toEqual([]);
    expect(place.lines.join("\n")).toContain("Installing widgets with npm");
});

test("another version is another installation", async () => {
    installNpm(INSTALL);
    expect(await widget("1.0.0")).not.toBe(await widget("2.0.0"));
});

test("two that want them at the same time share one installation", async () => {
    installNpm(INSTALL);
    const [first, second] = await Promise.all([widget(), widget()]);
    expect(first).toBe(second);
    expect(readFileSync(calls(), "utf8").trim().split("\n")).toHaveLength(1);
});

test("an npm that fails leaves nothing behind, and the next try starts over", async () => {
    installNpm(`${INSTALL} console.error("no such package"); process.exit(1);`);
    await expect(widget()).rejects.toThrow(ToolchainError);
    await expect(widget()).rejects.toThrow(/npm cannot install widget: .*no such package/s);
    expect(existsSync(place.cache) ? readdirSync(place.cache) : []).toEqual([]);
    installNpm(INSTALL);
    expect(readdirSync(await widget())).toEqual(["widget"]);
});
