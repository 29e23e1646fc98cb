import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

/** One situation that was measured, e.g. three clusters with 1,000 peers each. Everything in it is a number. */
export interface Case {
    readonly name: string;
    /** What was given or counted once. */
    readonly facts: Readonly<Record<string, number>>;
    /** What was measured, one value per repetition, in the order of repetitions. */
    readonly series: Readonly<Record<string, readonly number[]>>;
}

/** Takes a case as soon as it is measured: an hour of work must not be lost with the next case. */
export type Recorder = (measured: Case) => void;

export interface Results {
    readonly scenario: ScenarioName;
    readonly machine: Machine;
    readonly cases: readonly Case[];
}

/** General terms only: enough to judge a figure, not enough to find the machine. */
export interface Machine {
    readonly cores: number;
    readonly memoryGB: number;
    readonly platform: string;
    readonly node: string;
}

export const SCENARIOS = [
    ...(["sizes", "naive", "one-node", "planning", "memory", "dead", "fleet", "hosts"] as const),
    ...(["watch", "watch-requests", "watch-idle"] as const),
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export const thisMachine = (): Machine => ({
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
});

const fileOf = (directory: string, scenario: ScenarioName): string => join(directory, `${scenario}.json`);

/** Cases that were not measured this time keep what was measured before. */
export function writeResults(directory: string, results: Results): void {
    mkdirSync(directory, { recursive: true });
    const earlier = readResults(directory).find(({ scenario }) => scenario === results.scenario)?.cases ?? [];
    const fresh = new Map(results.cases.map((each) => [each.name, each]));
    const kept = earlier.map((each) => fresh.get(each.name) ?? each);
    const added = results.cases.filter(({ name }) => !earlier.some((each) => each.name === name));
    const cases = [...kept, ...added].sort((a, b) => byNumbers.compare(a.name, b.name));
    writeFileSync(fileOf(directory, results.scenario), `${render({ ...results, cases })}\n`);
}

const byNumbers = new Intl.Collator("en", { numeric: true });

/** Those that were measured, in a fixed order. */
export function readResults(directory: string): Results[] {
    return SCENARIOS.filter((scenario) => existsSync(fileOf(directory, scenario))).map((scenario) =>
        JSON.parse(readFileSync(fileOf(directory, scenario), "utf8")),
    );
}

/** A series is read as a row, so it is written as one; the formatter agrees. */
function render(results: Results): string {
    return JSON.stringify(results, (_, value) => (typeof value === "number" ? round(value) : value), 4).replace(
        /\[\s+([-\d.,\s]+?)\s+\]/g,
        (_, numbers: string) => `[${numbers.replace(/\s+/g, " ")}]`,
    );
}

const round = (value: number): number => Number(value.toPrecision(4));
