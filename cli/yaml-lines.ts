import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

export interface ParsedYaml {
    readonly value: unknown;
    /** The line (from 1) of a property such as `clusters[1].podCIDRs[0]`, or of the nearest thing around it. */
    lineOf(path: string): number | undefined;
}

/** Where and why a text is not YAML, without a word of it: a kubeconfig may be written out in it. */
export class NotYaml extends Error {
    constructor(
        readonly reason: string,
        readonly position?: { readonly line: number; readonly col: number },
    ) {
        super(reason);
    }
}

/** Parses YAML and knows where everything stands, so that a finding can point at its line. */
export function parseYaml(text: string): ParsedYaml {
    const lineCounter = new LineCounter();
    try {
        const document = parseDocument(text, { lineCounter, logLevel: "error" });
        const [wrong] = [...document.errors, ...document.warnings];
        if (wrong !== undefined) throw new NotYaml(words(wrong.code), wrong.linePos?.[0]);
        const lineOf = (path: string): number | undefined => {
            const offset = document.contents === null ? undefined : offsetOf(document.contents, stepsOf(path));
            return offset === undefined ? undefined : lineCounter.linePos(offset).line;
        };
        return { value: document.toJS(), lineOf };
    } catch (error) {
        // Aliases that unfold to more than anybody writes, nesting deeper than the stack.
        throw error instanceof NotYaml ? error : new NotYaml("too deeply nested or too many aliases");
    }
}

const words = (code: string): string => code.toLowerCase().replaceAll("_", " ");

/** `a.b[2]["odd key"]` as its steps. */
function stepsOf(path: string): string[] {
    const steps: string[] = [];
    for (const [, name, index, quoted] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
        steps.push(name ?? index ?? String(JSON.parse(quoted ?? '""')));
    }
    return steps;
}

/** As far down as the path can be followed: a missing field is shown at what should hold it. */
function offsetOf(root: Node, steps: readonly string[]): number | undefined {
    let node: unknown = root;
    let offset = root.range?.[0];
    for (const step of steps) {
        const child = childOf(node, step);
        if (child === undefined) break;
        node = child.value;
        offset = (child.key as Node).range?.[0] ?? offset;
    }
    return offset;
}

function childOf(node: unknown, step: string): { readonly key: unknown; readonly value: unknown } | undefined {
    if (isMap(node)) return node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
    const item = isSeq(node) ? node.items[Number(step)] : undefined;
    return item === undefined ? undefined : { key: item, value: item };
}
