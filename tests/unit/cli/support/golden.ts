import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(__dirname, "../golden");

export const golden = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");

/** Compares with the file of that name; with UPDATE_GOLDEN=1 in the environment it writes the file instead. */
export function expectGolden(name: string, actual: string): void {
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(path.join(FOLDER, name), actual);
    expect(actual).toBe(golden(name));
}
