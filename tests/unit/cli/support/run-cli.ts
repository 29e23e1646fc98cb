import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import type { Survey } from "../../../../cli/init/survey";
import { run, type Surroundings } from "../../../../cli/run";
import type { Look } from "../../../../cli/sight";
import type { Reach } from "../../../../cli/sweep/reach";
import type { Scenario } from "./scenario";

export interface CliResult {
    readonly code: number;
    readonly out: string;
    readonly err: string;
}

export interface CliOptions {
    /** The standard input. */
    readonly input?: string;
    readonly tty?: boolean;
    readonly columns?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly look?: Look;
    readonly reach?: Reach;
    readonly survey?: Survey;
    /** What the person at the terminal answers, in turn; without any there is no terminal. */
    readonly answers?: readonly string[];
    /** Sees the directory before it is removed. */
    readonly inspect?: (directory: string) => void;
    /** Files beside mesh.yaml, by name. */
    readonly files?: Readonly<Record<string, string>>;
}

/** Runs the command in a directory of its own that has the scenario's mesh file, without any cluster. */
export async function runCli(
    argv: readonly string[],
    scenario?: Scenario,
    options: CliOptions = {},
): Promise<CliResult> {
    const cwd = mkdtempSync(path.join(tmpdir(), "kilo-cli-"));
    const texts = { out: "", err: "" };
    const stream = (name: "out" | "err"): Surroundings["out"] => ({
        write: (text) => {
            texts[name] += text;
        },
        isTTY: options.tty ?? false,
        columns: options.columns,
    });
    const nothing = async (): Promise<never> => {
        throw new Error("no cluster may be contacted");
    };
    const answers = [...(options.answers ?? [])];
    const ask = async (question: string): Promise<string> => {
        const answer = answers.shift() ?? "";
        texts.out += `${question}${answer}\n`;
        return answer;
    };
    try {
        if (scenario !== undefined) writeFileSync(path.join(cwd, "mesh.yaml"), stringify(scenario.mesh));
        for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(path.join(cwd, name), text);
        const code = await run(argv, {
            out: stream("out"),
            err: stream("err"),
            env: options.env ?? {},
            cwd,
            look: options.look ?? (scenario === undefined ? nothing : async () => scenario.sight),
            reach: options.reach ?? nothing,
            survey: options.survey ?? nothing,
            ask: options.answers === undefined ? undefined : ask,
            input: async () => options.input ?? "",
            onStop: () => undefined,
        });
        options.inspect?.(cwd);
        return { code, ...texts };
    } finally {
        rmSync(cwd, { recursive: true, force: true });
    }
}
