import { badRequest } from "./status";

type Labels = Readonly<Record<string, string>> | undefined;
type Requirement = (labels: Labels) => boolean;

/** `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b,c)`, joined by commas. */
export function parseSelector(text: string): (labels: Labels) => boolean {
    const requirements = text
        .split(/,(?![^(]*\))/)
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map(requirement);
    return (labels) => requirements.every((holds) => holds(labels));
}

function requirement(text: string): Requirement {
    const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
    if (set) {
        const [, key = "", operator, list = ""] = set;
        const values = list.split(",").map((value) => value.trim());
        return (labels) => values.includes(labels?.[key] ?? "\0") === (operator === "in");
    }
    const equality = /^([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)$/.exec(text);
    if (equality) {
        const [, key = "", operator, value] = equality;
        return (labels) => (labels?.[key] === value) === (operator !== "!=");
    }
    const existence = /^(!?)([\w./-]+)$/.exec(text);
    if (!existence) throw badRequest(`unable to parse requirement: ${text}`);
    const [, not, key = ""] = existence;
    return (labels) => Object.hasOwn(labels ?? {}, key) === (not === "");
}
