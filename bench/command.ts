/**
 *     npm run bench                     everything, into bench/results and bench/README.md; two hours or more
 *     npm run bench -- --only <name>    one scenario; the results of the others stay
 *     npm run bench -- --only sizes --case "3 × 1000"     one case of it
 *     npm run bench -- --quick          small meshes, once each, nothing is recorded: shows that everything still works
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dead } from "./scenarios/dead";
import { fleet } from "./scenarios/fleet";
import { hosts } from "./scenarios/hosts";
import { memory } from "./scenarios/memory";
import { naive } from "./scenarios/naive";
import { oneNode } from "./scenarios/one-node";
import { planning } from "./scenarios/planning";
import { sizes } from "./scenarios/sizes";
import { watch } from "./scenarios/watch";
import { watchIdle } from "./scenarios/watch-idle";
import { watchRequests } from "./scenarios/watch-requests";
import { report, withResults } from "./support/report";
import {
    type Case,
    type Recorder,
    type Results,
    readResults,
    SCENARIOS,
    type ScenarioName,
    thisMachine,
    writeResults,
} from "./support/results";
import { openWorkplace, type Workplace } from "./support/workplace";

const RESULTS = join(__dirname, "results");
const PAGE = join(__dirname, "README.md");

const RUN: Readonly<Record<ScenarioName, (workplace: Workplace, record: Recorder) => Promise<void>>> = {
    sizes,
    naive,
    "one-node": oneNode,
    planning,
    memory,
    dead,
    fleet,
    hosts,
    watch,
    "watch-requests": watchRequests,
    "watch-idle": watchIdle,
};

async function main(): Promise<void> {
    const { values } = parseArgs({
        options: {
            quick: { type: "boolean", default: false },
            only: { type: "string", multiple: true },
            case: { type: "string", multiple: true },
        },
    });
    const wanted = SCENARIOS.filter((name) => values.only?.includes(name) ?? true);
    const unknown = values.only?.find((name) => !SCENARIOS.some((known) => known === name));
    if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}; there are ${SCENARIOS.join(", ")}`);
    const started = performance.now();
    const workplace = await openWorkplace({
        quick: values.quick,
        ...(values.case === undefined ? {} : { cases: values.case }),
        log: (line) => console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`),
    });
    const fresh: Results[] = [];
    try {
        for (const scenario of wanted) {
            const cases: Case[] = [];
            fresh.push({ scenario, machine: thisMachine(), cases });
            await RUN[scenario](workplace, (measured) => {
                cases.push(measured);
                if (values.quick) return;
                writeResults(RESULTS, { scenario, machine: thisMachine(), cases: [measured] });
                writeFileSync(PAGE, withResults(readFileSync(PAGE, "utf8"), readResults(RESULTS)));
            });
        }
    } finally {
        await workplace.close();
    }
    console.log(report(fresh));
    const measured = new Set(fresh.flatMap(({ cases }) => cases.map(({ name }) => name)));
    const unmeasured = values.case?.filter((name) => !measured.has(name)) ?? [];
    if (unmeasured.length > 0) throw new Error(`${wanted.join(", ")}: there is no case ${unmeasured.join(", ")}`);
}

main().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
});
