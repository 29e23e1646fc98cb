import { COMMANDS, type Command, type CommandName, flagsOf } from "./commands";
import { type Flag, GLOBAL_FLAGS } from "./flags";
import type { Paint } from "./render/paint";
import { hanging, padEnd } from "./render/visible";

const NAME = "kilo-clustermesh";

/** The shortest one; the fields are those of the resource's arguments. */
export const MESH_FILE = [
    "mesh: global",
    "clusters:",
    "  - name: hub",
    "    kubeconfig: hub.yaml",
    "    podCIDRs: [10.1.0.0/16]",
    "  - name: edge",
    "    kubeconfig: edge.yaml",
    "    podCIDRs: [10.2.0.0/16]",
] as const;

/** Help for a command, or for all of them. */
export function helpText(command: CommandName | undefined, paint: Paint, width: number): string[] {
    const found = COMMANDS.find(({ name }) => name === command);
    return found === undefined ? overview(paint, width) : commandHelp(found, paint, width);
}

function overview(paint: Paint, width: number): string[] {
    return [
        `${paint("bold", NAME)}: look at a mesh of clusters that run Kilo. It reads; only sweep deletes, after asking.`,
        "",
        paint("bold", "Usage"),
        `  ${NAME} <command> [-f mesh.yaml] [flags]`,
        "",
        paint("bold", "Commands"),
        ...COMMANDS.flatMap(({ name, summary }) => hanging(`  ${padEnd(name, 9)}`, summary, width)),
        "",
        paint("bold", "Mesh file"),
        ...MESH_FILE.map((line) => `  ${line}`),
        "",
        paint("bold", "Flags"),
        ...flagLines(GLOBAL_FLAGS, width),
        "",
        paint("bold", "Exit codes"),
        ...exitLines("not all is well: see the help of the command", width),
        "",
        `${NAME} <command> --help shows flags and examples of one command.`,
    ];
}

function commandHelp(command: Command, paint: Paint, width: number): string[] {
    const { name, summary, about, examples, degraded, operands = [], command: run } = command;
    return [
        `${paint("bold", `${NAME} ${name}`)}: ${summary}`,
        "",
        ...about,
        "",
        paint("bold", "Usage"),
        `  ${[NAME, name, ...operands].join(" ")} [flags]${run === undefined ? "" : ` -- ${run}`}`,
        "",
        paint("bold", "Flags"),
        ...flagLines(flagsOf(name), width),
        "",
        paint("bold", "Examples"),
        ...examples.flatMap(([line, what]) => [`  ${paint("dim", `# ${what}`)}`, `  ${line}`]),
        "",
        paint("bold", "Exit codes"),
        ...exitLines(degraded, width),
    ];
}

const FLAG_COLUMN = 26;

const flagLines = (flags: readonly Flag[], width: number): string[] =>
    flags.flatMap(({ name, short, value, help }) => {
        const written = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
        return hanging(`  ${padEnd(written, FLAG_COLUMN)}`, help, width);
    });

const exitLines = (degraded: string | undefined, width: number): string[] => [
    "  0  all is well",
    "  1  wrong flags or a wrong mesh file; no cluster was contacted",
    ...(degraded === undefined ? [] : hanging("  2  ", degraded, width)),
];
