import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Toolchain, toolchain } from "../../../tools/toolchain";
import { codeBlocks, pages } from "../../unit/docs/support/code-blocks";
import { flagsIn, type ShellCommand, shellCommands } from "../../unit/docs/support/shell-commands";

let tools: Toolchain;
beforeAll(async () => {
    tools = await toolchain();
});

const commands = pages()
    .flatMap(codeBlocks)
    .filter(({ language }) => language === "sh")
    .flatMap(shellCommands);

/** The words before the first flag, value or argument that name a command: `config set`, `create token`. */
const subcommands = (words: readonly string[], most: number): string[] => {
    const plain = words.filter((word) => !word.startsWith("-"));
    return plain.slice(0, most).filter((word) => /^[a-z]+(-[a-z]+)*$/.test(word));
};

/** What a program says of itself, asked for once per command. */
function helper(program: () => string, global: readonly string[]): (words: readonly string[]) => Promise<string> {
    const known = new Map<string, Promise<string>>();
    const ask = async (words: readonly string[]): Promise<string> => {
        const asked = await Promise.all(
            [[...words, "--help"], [...global]].map(async (args) => {
                const { stdout } = await promisify(execFile)(program(), args);
                return stdout;
            }),
        );
        return asked.join("\n");
    };
    return (words) => {
        const key = words.join(" ");
        if (!known.has(key)) known.set(key, ask(words));
        return known.get(key)!;
    };
}

async function unknownFlags(
    list: readonly ShellCommand[],
    most: (words: readonly string[]) => number,
    help: (words: readonly string[]) => Promise<string>,
): Promise<string[]> {
    const bad: string[] = [];
    for (const { file, line, words } of list) {
        const args = words.slice(1);
        const text = await help(subcommands(args, most(args)));
        for (const flag of flagsIn(args)) {
            const listed = flag.startsWith("--") ? `${flag}[ =\\n]` : `${flag}, --`;
            if (!new RegExp(listed).test(text)) bad.push(`${file}:${line}: ${words.join(" ")}: no ${flag}`);
        }
    }
    return bad;
}

const running = (program: string): ShellCommand[] => commands.filter(({ words }) => words[0] === program);

test("every pulumi command on our pages exists with the flags it is given", async () => {
    const help = helper(() => tools.pulumi, ["--help"]);
    const nested = new Set(["stack", "config", "state", "plugin"]);
    expect(running("pulumi").length).toBeGreaterThan(0);
    expect(await unknownFlags(running("pulumi"), ([first]) => (nested.has(first ?? "") ? 2 : 1), help)).toEqual([]);
});

test("every kubectl command on our pages exists with the flags it is given", async () => {
    const help = helper(() => tools.kubectl, ["options"]);
    // Values of `--namespace x` and `--kubeconfig y` come before the verb.
    const list = running("kubectl").map(({ words, ...where }) => ({ ...where, words: withoutScope(words) }));
    expect(list.length).toBeGreaterThan(0);
    const depth = ([first, second]: readonly string[]) =>
        first === "config" ? 2 : first !== "create" ? 1 : second === "secret" ? 3 : 2;
    expect(await unknownFlags(list, depth, help)).toEqual([]);
});

function withoutScope(words: readonly string[]): string[] {
    const scoped = new Set(["--namespace", "-n", "--kubeconfig"]);
    return words.filter((word, at) => !scoped.has(word) && !scoped.has(words[at - 1] ?? ""));
}
