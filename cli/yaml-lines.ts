import { CORE_SCHEMA, type EventType, load, type State } from "js-yaml";

interface ParsedNode {
    /** From 0. */
    readonly line: number;
    kind: string | null;
    result: unknown;
    readonly children: ParsedNode[];
}

export interface ParsedYaml {
    readonly value: unknown;
    /** The line (from 1) of a property such as `clusters[1].podCIDRs[0]`, or of the nearest thing around it. */
    lineOf(path: string): number | undefined;
}

/** Parses YAML and remembers where everything stood, so that a finding can point at its line. */
export function parseYaml(text: string): ParsedYaml {
    const stack: ParsedNode[] = [];
    let root: ParsedNode | undefined;
    const listener = (event: EventType, state: State): void => {
        if (event === "open") {
            stack.push({ line: state.line, kind: null, result: undefined, children: [] });
            return;
        }
        const node = stack.pop();
        if (node === undefined) return;
        node.kind = state.kind;
        node.result = state.result;
        const parent = stack.at(-1);
        if (parent === undefined) root = node;
        else parent.children.push(node);
    };
    const value = load(text, { schema: CORE_SCHEMA, listener });
    return { value, lineOf: (path) => (root === undefined ? undefined : lineAt(root, stepsOf(path)) + 1) };
}

/** `a.b[2]["odd key"]` as its steps. */
function stepsOf(path: string): string[] {
    const steps: string[] = [];
    for (const [, name, index, quoted] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
        steps.push(name ?? index ?? String(JSON.parse(quoted ?? '""')));
    }
    return steps;
}

/** As far down as the path can be followed: a missing field is shown at what should hold it. */
function lineAt(root: ParsedNode, steps: readonly string[]): number {
    let node = root;
    let line = root.line;
    for (const step of steps) {
        const child = childOf(node, step);
        if (child === undefined) break;
        [node, line] = [child.value, child.line];
    }
    return line;
}

function childOf({ kind, children }: ParsedNode, step: string): { value: ParsedNode; line: number } | undefined {
    // In a mapping keys and values take turns.
    const key = kind === "mapping" ? children.findIndex(({ result }, i) => i % 2 === 0 && result === step) : -1;
    const value = children[kind === "sequence" ? Number(step) : key < 0 ? children.length : key + 1];
    return value && { value, line: children[key]?.line ?? value.line };
}
