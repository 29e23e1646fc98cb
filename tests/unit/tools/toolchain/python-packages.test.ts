import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolchainError } from "../../../../tools/toolchain";
import { lackingForPython, pythonPackages } from "../../../../tools/toolchain/python-packages";
import { executable, type Workshop, workshop } from "./workshop";

let place: Workshop;
beforeEach(() => {
    place = workshop();
});
afterEach(() => place.remove());

const calls = (): string => join(place.directory, "calls");

/** Puts a python3 on PATH that answers questions, notes what pip is asked for and then does this. */
function installPython(code: string, { pip = true } = {}): void {
    const python = join(place.bin, "python3");
    const body = `
        const fs = require("node:fs");
        const [first, second = ""] = process.argv.slice(2);
        if (first === "-c" && second.includes("pip")) process.exit(${pip ? 0 : 1});
        if (first === "-c") { console.log(${JSON.stringify(python)}); console.log("test-311"); process.exit(0); }
        fs.appendFileSync(${JSON.stringify(calls())}, process.argv.slice(2).join(" ") + "\\n");
        ${code}`;
    writeFileSync(python, executable(body), { mode: 0o755 });
}

const INSTALL = 'fs.writeFileSync(process.argv.at(-1) + "/pulumi", "");';

test("the packages are installed once, with checksums, and found again", async () => {
    installPython(INSTALL);
    const first = await pythonPackages(place.context);
    expect(first.bin).toBe(place.bin);
    expect(readdirSync(first.packages)).toEqual(["pulumi"]);
    expect(await pythonPackages(place.context)).toEqual(first);
    const [call, ...more] = readFileSync(calls(), "utf8").trim().split("\n");
    expect(call).toContain("--require-hashes --no-deps");
    expect(more).toEqual([]);
});

test("a machine without Python is told so, and so is one whose Python has no pip", async () => {
    expect(lackingForPython(place.context)).toBe("there is no python3 on PATH");
    await expect(pythonPackages(place.context)).rejects.toThrow(/no python3 on PATH.\n {2}Install Python 3.10/);
    installPython(INSTALL, { pip: false });
    expect(lackingForPython(place.context)).toContain("there is no pip");
});

test("a pip that fails leaves nothing behind", async () => {
    installPython('console.error("no such version"); process.exit(1);');
    await expect(pythonPackages(place.context)).rejects.toThrow(ToolchainError);
    await expect(pythonPackages(place.context)).rejects.toThrow(/pip cannot install .*no such version/s);
    expect(readdirSync(place.cache)).toEqual([]);
});
