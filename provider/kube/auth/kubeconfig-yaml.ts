import { parseDocument } from "yaml";

/**
 * The parser's messages quote the text: only the line of an error is safe to repeat, and warnings would go to the log.
 * The text may come out of a cluster: it must not cost more than its size, so keys are not compared with each other (the
 * last one wins, as for kubectl), and aliases cannot unfold without bound.
 */
export function parseYaml(content: string): { readonly value?: unknown; readonly line?: number | undefined } {
    const json = parseJson(content);
    if (json !== undefined) return { value: json };
    try {
        const document = parseDocument(content, { logLevel: "error", merge: true, uniqueKeys: false });
        const [wrong] = [...document.errors, ...document.warnings];
        return wrong === undefined
            ? { value: document.toJS({ maxAliasCount: 100 }) }
            : { line: wrong.linePos?.[0].line };
    } catch {
        // Too many aliases, or nesting deeper than the stack.
        return {};
    }
}

/** What clouds give as objects comes as JSON, which needs no YAML parser. */
function parseJson(content: string): unknown {
    if (!/^\s*\{/.test(content)) return undefined;
    try {
        return JSON.parse(content);
    } catch {
        return undefined;
    }
}
