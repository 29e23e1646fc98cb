import { parseArgs } from "node:util";
import { COMMANDS, type CommandName, DEFAULT_FILE, flagsOf } from "./commands";
import { noSuch, UsageError } from "./failure";
import type { Flag } from "./flags";
import { type ListenAddress, readListenAddress } from "./metrics/listen-address";

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
          /** What `trace` is to follow, or what `plugin` is to do. */
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
          readonly stack?: string;
          readonly mesh?: string;
          /** Directory of the Pulumi project. */
          readonly project?: string;
          readonly watch?: WatchRequest;
      };

/** What `watch` is to do; times are seconds. */
export interface WatchRequest {
    readonly quiet: number;
    readonly quietMax: number;
    readonly every: number;
    readonly once: boolean;
    /** Where metrics and health are served. */
    readonly listen?: ListenAddress;
    readonly run:
        | { readonly kind: "command"; readonly words: readonly string[] }
        | { readonly kind: "operator"; readonly namespace: string; readonly name: string; readonly cluster: string };
}

/** What the command line asks for. Throws a UsageError that names the nearest flag or command. */
export function readArguments(all: readonly string[]): Request {
    const flags = flagsOf(undefined);
    const end = all.indexOf("--");
    const argv = end < 0 ? all : all.slice(0, end);
    const { tokens } = parseArgs({
        args: [...argv],
        options: Object.fromEntries(
            flags.map(({ name, short, type }) => [name, { type, ...(short ? { short } : {}) }]),
        ),
        allowPositionals: true,
        strict: false,
        tokens: true,
    });
    const positionals: string[] = [];
    const given = new Map<string, string | true>();
    const contexts: string[] = [];
    for (const token of tokens) {
        if (token.kind === "positional") positionals.push(token.value);
        if (token.kind !== "option") continue;
        const flag = flags.find(({ name }) => name === token.name);
        if (flag === undefined) {
            const names = flagsOf(commandIn(positionals)).map(({ name }) => `--${name}`);
            throw noSuch(`there is no flag ${token.rawName}`, token.rawName, names);
        }
        const value = flagValue(flag, token.rawName, token.value, token.inlineValue === true);
        given.set(flag.name, value);
        if (flag.name === "context") contexts.push(String(value));
    }
    if (given.has("version")) return { kind: "version" };
    // `help plan` is `plan --help`.
    const isHelp = given.has("help") || positionals[0] === "help";
    const asked = positionals[0] === "help" ? positionals.slice(1) : positionals;
    const command = readCommand(asked, isHelp);
    if (command === undefined || isHelp) {
        return { kind: "help", asked: isHelp, ...(command === undefined ? {} : { command }) };
    }
    const known = flagsOf(command);
    for (const name of given.keys()) {
        const flag = known.find((each) => each.name === name);
        if (flag === undefined) throw notHere(command, name);
        checkChoice(flag, given.get(name));
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
    const text = (name: string): string | undefined => given.get(name) as string | undefined;
    const [stack, mesh, project] = [text("stack"), text("mesh"), text("cwd")];
    if (stack !== undefined && given.has("file")) {
        throw new UsageError("a mesh comes from a file or from a stack", "Give --file or --stack, not both");
    }
    const words = end < 0 ? undefined : all.slice(end + 1);
    if (words !== undefined && command !== "watch") {
        throw new UsageError(`${command} runs no command`, "Leave out -- and what follows; watch takes a command");
    }
    return {
        ...(stack === undefined ? {} : { stack }),
        ...(mesh === undefined ? {} : { mesh }),
        ...(project === undefined ? {} : { project }),
        ...(command === "watch" ? { watch: readWatch(given, words) } : {}),
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

type Given = ReadonlyMap<string, string | true>;

function readWatch(given: Given, words: readonly string[] | undefined): WatchRequest {
    const quiet = readSeconds("quiet", given.get("quiet")) ?? 1;
    const quietMax = readSeconds("quiet-max", given.get("quiet-max"));
    if (quietMax !== undefined && quietMax < quiet) {
        throw new UsageError("--quiet-max is shorter than --quiet", `Give --quiet-max ${quiet} or more`);
    }
    const listen = given.get("listen");
    return {
        quiet,
        quietMax: quietMax ?? Math.max(quiet, 10),
        every: readSeconds("every", given.get("every"), 86_400) ?? 600,
        once: given.has("once"),
        ...(typeof listen === "string" ? { listen: readListenAddress(listen) } : {}),
        run: readRun(given, words),
    };
}

function readRun(given: Given, words: readonly string[] | undefined): WatchRequest["run"] {
    const object = given.get("pulumi-stack");
    const cluster = given.get("in");
    if (object === undefined) {
        if (cluster !== undefined) {
            throw new UsageError("--in needs --pulumi-stack", "Give --pulumi-stack too, or leave out --in");
        }
        if (words !== undefined && words.length > 0) return { kind: "command", words };
        throw new UsageError(
            "watch does not know what to run",
            "Write the command after --, for example -- pulumi up --yes --skip-preview; or give --pulumi-stack and --in",
        );
    }
    if (words !== undefined) {
        throw new UsageError(
            "watch runs a command or asks the operator, not both",
            "Leave out --pulumi-stack, or -- and what follows",
        );
    }
    const [namespace = "", name = "", ...rest] = String(object).split("/");
    if (namespace === "" || name === "" || rest.length > 0) {
        throw new UsageError(
            `--pulumi-stack cannot be ${JSON.stringify(object)}`,
            "Write <namespace>/<name> of the Stack object, for example infra/mesh",
        );
    }
    if (typeof cluster !== "string") {
        throw new UsageError(
            "--pulumi-stack needs to know where the Stack object is",
            "Name the member with --in, or write --in local for the cluster this runs in",
        );
    }
    return { kind: "operator", namespace, name, cluster };
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
            `${command} needs ${words(operands)}, but got ${rest.length}`,
            `Write kilo-clustermesh ${command} ${operands.join(" ")}`,
        );
    }
    if (rest.length > operands.length && !help) {
        throw new UsageError(
            `${command} takes ${words(operands)}, but got ${JSON.stringify(rest[operands.length])}`,
            `Name the mesh file with --file; see kilo-clustermesh ${command} --help`,
        );
    }
    return command;
}

/** What a command takes besides flags, for a message. */
function words(operands: readonly string[]): string {
    if (operands.length === 0) return "no argument";
    return operands.length === 1 ? `one word, ${operands[0]}` : "two places";
}

function flagValue(flag: Flag, written: string, value: string | undefined, inline: boolean): string | true {
    if (flag.type === "boolean") {
        if (value === undefined) return true;
        throw new UsageError(`${written} takes no value`, `Write ${written} alone`);
    }
    if (value === undefined || value === "" || (!inline && /^-./.test(value))) {
        throw new UsageError(`${written} needs a value: ${flag.value}`, `Write for example ${written} ${flag.example}`);
    }
    return value;
}

/** What a flag can be may depend on the command. */
function checkChoice({ name, choices }: Flag, value: string | true | undefined): void {
    if (choices === undefined || typeof value !== "string" || choices.includes(value)) return;
    throw noSuch(`--${name} cannot be ${JSON.stringify(value)}`, value, choices);
}

function notHere(command: CommandName, name: string): UsageError {
    const others = COMMANDS.filter((other) => other.flags.some((flag) => flag.name === name));
    return new UsageError(
        `${command} has no flag --${name}`,
        `Use it with ${others.map((other) => other.name).join(", ")}; see kilo-clustermesh ${command} --help`,
    );
}

function readSeconds(flag: string, value: string | true | undefined, most = 3600): number | undefined {
    if (value === undefined) return undefined;
    const seconds = Number(value);
    if (seconds > 0 && seconds <= most) return seconds;
    throw new UsageError(
        `--${flag} cannot be ${JSON.stringify(value)}`,
        `Give seconds above 0 and up to ${most}, for example --${flag} 5`,
    );
}
