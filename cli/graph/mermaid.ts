import type { Assessment } from "../assess";
import type { GraphModel } from "./model";

const CLASSES = [
    ["silent", "stroke:#dc2626,stroke-dasharray:5 4,color:#dc2626"],
    ["unusable", "stroke:#dc2626,stroke-width:2px,color:#dc2626"],
    ["degraded", "stroke:#b45309,stroke-width:2px"],
    ["in place", "stroke:#1d4ed8,stroke-dasharray:2 3"],
] as const;

/** The planned mesh, as the resource's output `graph` has it, with the clusters that need attention marked. */
export function mermaid({ plan }: Assessment, { boxes }: GraphModel): string {
    // The planner numbers clusters in the order of their names.
    const ids = new Map([...boxes.map(({ name }) => name)].sort().map((name, i) => [name, `c${i}`]));
    const marks = CLASSES.flatMap(([state, style]) => {
        const marked = boxes.filter((box) => [box.member, box.state].includes(state)).map((box) => ids.get(box.name)!);
        const drawn = marked.filter((id) => plan.graph.includes(`    ${id}[`)).sort();
        const name = state.replace(" ", "");
        return drawn.length === 0 ? [] : [`    classDef ${name} ${style}`, `    class ${drawn.join(",")} ${name}`];
    });
    return plan.graph + marks.map((line) => `${line}\n`).join("");
}
