import { join } from "node:path";
import { sizes } from "./scenarios/sizes";
import { type Case, type ScenarioName, thisMachine, writeResults } from "./support/results";
import { openWorkplace, type Workplace } from "./support/workplace";

const scenarios: Partial<Record<ScenarioName, (w: Workplace) => Promise<Case[]>>> = { sizes };
async function main() {
    const w = await openWorkplace(process.argv.includes("--quick"), (l) =>
        console.error(new Date().toISOString().slice(11, 19), l),
    );
    try {
        for (const [n, f] of Object.entries(scenarios)) {
            const cases = await f(w);
            writeResults("/tmp/bench-out", { scenario: n as ScenarioName, machine: thisMachine(), cases });
            console.log(JSON.stringify(cases, null, 1));
        }
    } finally {
        await w.close();
    }
}
main();
