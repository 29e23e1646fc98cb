import { parseArgs } from "node:util";
import { COMMANDS, type CommandName, DEFAULT_FILE, type Flag, flagsOf } from "./commands";
import { noSuch, UsageError } from "./failure";

export type ColourChoice = "always" | "never" | "auto";

export type Request =
    | { readonly kind: "help"; readonly command?: CommandName; readonly asked: boolean }
    | { readonly kind: "version" }
    | {
          readonly kind: "run";
          readonly command: CommandName;
          readonly color: ColourChoice;
          readonly file: string;
          readonly json: boolean;
          readonly all: boolean;
          readonly strict: boolean;
          readonly format: string;
          readonly target?: string;
          readonly timeout?: number;
          readonly wait?: number;
          /** What `trace` is to follow. */
          readonly operands?: readonly string[];
          /** Whose peers `sweep` looks for. */
          readonly claim?: string;
          readonly meshId?: string;
          readonly yes?: boolean;
          /** What `init` makes a mesh of, and where. */
          readonly kubeconfig?: string;
          readonly contexts?: readonly string[];
          readonly name?: string;
          readonly directory?: string;
      };

/** What the command line asks for. Throws a UsageError that names the nearest flag or command. */
export function readArguments(argv: readonly string[]): Request {
    const flags = flagsOf(undefined);
    const { tokens } = parseArgs({
        args: [...argv],
        options: Object.fromEntries(
            flags.map(({ name, short, type }) => [name, { type, ...(short ? { short } : {}) }]),
        ),
        allowPositionals: true,
        strict: false,
        tokens: true,
    });
    const words: string[] = [];
    const given = new Map<string, string | true>();
    const contexts: string[] = [];
    for (const token of tokens) {
        if (token.kind === "positional") words.push(token.value);
        if (token.kind !== "option") continue;
        const flag = flags.find(({ name }) => name === token.name);
        if (flag === undefined) {
            const names = flagsOf(commandIn(words)).map(({ name }) => `--${name}`);
            throw noSuch(`there is no flag ${token.rawName}`, token.rawName, names);
        }
        const value = flagValue(flag, token.rawName, token.value, token.inlineValue === true);
        given.set(flag.name, value);
        if (flag.name === "context") contexts.push(String(value));
    }
    if (given.has("version")) return { kind: "version" };
    // `help plan` is `plan --help`.
    const isHelp = given.has("help") || words[0] === "help";
    const asked = words[0] === "help" ? words.slice(1) : words;
    const command = readCommand(asked, isHelp);
    if (command === undefined || isHelp) {
        return { kind: "help", asked: isHelp, ...(command === undefined ? {} : { command }) };
    }
    const known = flagsOf(command);
    for (const name of given.keys()) {
        if (!known.some((flag) => flag.name === name)) throw notHere(command, name);
    }
    const timeout = readSeconds("timeout", given.get("timeout"));
    const wait = readSeconds("wait", given.get("wait"));
    const texts = Object.fromEntries(
        (["target", "claim", "kubeconfig", "name", "directory"] as const).flatMap((name) => {
            const value = given.get(name);
            return typeof value === "string" ? [[name, value]] : [];
        }),
    );
    const meshId = given.get("mesh-id");
    return {
        kind: "run",
        command,
        color: (given.get("color") ?? "auto") as ColourChoice,
        file: String(given.get("file") ?? DEFAULT_FILE),
        json: given.has("json"),
        all: given.has("all"),
        strict: given.has("strict"),
        format: String(given.get("format") ?? "mermaid"),
        ...texts,
        ...(typeof meshId === "string" ? { meshId } : {}),
        ...(given.has("yes") ? { yes: true } : {}),
        ...(contexts.length > 0 ? { contexts } : {}),
        ...(timeout === undefined ? {} : { timeout }),
        ...(wait === undefined ? {} : { wait }),
        ...(asked.length > 1 ? { operands: asked.slice(1) } : {}),
    };
}

const commandIn = (words: readonly string[]): CommandName | undefined =>
    COMMANDS.find(({ name }) => name === words[0])?.name;

function readCommand([first, ...rest]: readonly string[], help: boolean): CommandName | undefined {
    if (first === undefined) return undefined;
    const command = commandIn([first]);
    if (command === undefined) {
        const names = COMMANDS.map(({ name }) => name);
        throw noSuch(`there is no command ${JSON.stringify(first)}`, first, names);
    }
    const { operands = [] } = COMMANDS.find(({ name }) => name === command)!;
    if (rest.length < operands.length && !help) {
        throw new UsageError(
            `${command} needs two places, but got ${rest.length}`,
            `Write kilo-clustermesh ${command} ${operands.join(" ")}`,
        );
    }
    if (rest.length > operands.length && !help) {
        throw new UsageError(
            `${command} takes ${operands.length === 0 ? "no argument" : "two places"}, but got ${JSON.stringify(rest[operands.length])}`,
            `Name the mesh file with --file; see kilo-clustermesh ${command} --help`,
        );
    }
    return command;
}

function flagValue(flag: Flag, written: string, value: string | undefined, inline: boolean): string | true {
    if (flag.type === "boolean") {
        if (value === undefined) return true;
        throw new UsageError(`${written} takes no value`, `Write ${written} alone`);
    }
    if (value === undefined || value === "" || (!inline && /^-./.test(value))) {
        throw new UsageError(`${written} needs a value: ${flag.value}`, `Write for example ${written} ${flag.example}`);
    }
    if (flag.choices === undefined || flag.choices.includes(value)) return value;
    throw noSuch(`${written} cannot be ${JSON.stringify(value)}`, value, flag.choices);
}

function notHere(command: CommandName, name: string): UsageError {
    const others = COMMANDS.filter((other) => other.flags.some((flag) => flag.name === name));
    return new UsageError(
        `${command} has no flag --${name}`,
        `Use it with ${others.map((other) => other.name).join(", ")}; see kilo-clustermesh ${command} --help`,
    );
}

function readSeconds(flag: string, value: string | true | undefined): number | undefined {
    if (value === undefined) return undefined;
    const seconds = Number(value);
    if (seconds > 0 && seconds <= 3600) return seconds;
    throw new UsageError(
        `--${flag} cannot be ${JSON.stringify(value)}`,
        `Give seconds above 0 and up to 3600, for example --${flag} 5`,
    );
}
