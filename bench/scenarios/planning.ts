import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Recorder } from "../support/results";
import type { Workplace } from "../support/workplace";

interface Planned {
    readonly topology: string;
    readonly clusters: number;
    readonly nodes: number;
    readonly peers: number;
    readonly planMs: number;
    readonly stringifyMs: number;
}

/** Planning alone, in a process of its own: `bench/plan.ts` repeats and interleaves by itself. */
export async function planning(workplace: Workplace, record: Recorder): Promise<void> {
    workplace.log("planning");
    const args = ["--import", "tsx", join(__dirname, "../plan.ts"), ...(workplace.quick ? ["--quick"] : [])];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (chunk) => (printed += String(chunk)));
    const code = await new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
    });
    if (code !== 0) throw new Error(`bench/plan.ts ended with ${code}`);
    const { results } = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as { results: Planned[] };
    for (const { topology, clusters, nodes, peers, planMs, stringifyMs } of results) {
        record({
            name: `${topology} ${clusters} × ${nodes / clusters}`,
            facts: { clusters, nodes, peers },
            series: { plan: [planMs], stringify: [stringifyMs] },
        });
    }
}
