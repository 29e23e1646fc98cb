/**
 * Planning time against `JSON.stringify` of the plan, which is what it costs merely to write the result down.
 *
 *     npx tsx bench/plan.ts            all sizes, needs about 4 GB
 *     npx tsx bench/plan.ts --quick    the small ones, twice each
 *
 * Both are measured alternately on the same plan, after a warm-up, and the best times are compared: what else runs on the
 * machine only ever adds to them. A full mesh of 250 clusters with 100 nodes each would be 6.2 million peers, whose JSON is longer than a
 * JavaScript string can be; it stops at the largest size that can be written down. `planMesh` starts from Node objects as
 * an API server returns them, so reading and judging 100 nodes per cluster is part of it. The code is compiled as it is for
 * the package: what `tsx` makes of modules costs a getter for each call from one to another, a fifth of planning.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import type { KubeNode } from "../provider/kilo/types";
import type { PlanInput } from "../provider/mesh/types";
import { ROOT } from "../tools/process/run-program";

const NODES = 100;
const SIZES = [
    { topology: "hub", clusters: 10 },
    { topology: "hub", clusters: 50 },
    { topology: "hub", clusters: 100 },
    { topology: "hub", clusters: 250 },
    { topology: "full", clusters: 10 },
    { topology: "full", clusters: 20 },
    { topology: "full", clusters: 50 },
    { topology: "full", clusters: 80 },
] as const;
const QUICK = 20_000;
const isQuick = process.argv.includes("--quick");

type Size = (typeof SIZES)[number];

function compiledCore(): typeof import("../provider/mesh/plan-mesh") {
    const from = join(ROOT, "provider");
    const to = join(ROOT, ".local", "bench-plan");
    const pure = /^(?:values|net|kilo|mesh|state)\/.*\.ts$/;
    for (const file of readdirSync(from, { recursive: true, encoding: "utf8" }).filter((name) => pure.test(name))) {
        const compilerOptions = { target: ScriptTarget.ES2022, module: ModuleKind.CommonJS };
        const { outputText } = transpileModule(readFileSync(join(from, file), "utf8"), { compilerOptions });
        mkdirSync(dirname(join(to, file)), { recursive: true });
        writeFileSync(join(to, file.replace(/\.ts$/, ".js")), outputText);
    }
    return require(join(to, "mesh", "plan-mesh.js"));
}

const { planMesh } = compiledCore();

function input({ topology, clusters }: Size): PlanInput {
    const specs = Array.from({ length: clusters }, (_, c) => ({
        name: `cluster-${c}`,
        podCIDRs: [`10.${c}.0.0/16`],
        wireguardCIDR: `100.64.${c}.0/24`,
        serviceCIDR: `172.${16 + (c >> 4)}.${(c & 15) << 4}.0/20`,
    }));
    return {
        mesh: "bench",
        clusters: specs,
        claims: Object.fromEntries(specs.map(({ name }, c) => [name, `claim-${c}`])),
        ...(topology === "hub" ? { topology: { hubs: ["cluster-0"] } } : {}),
        nodes: Object.fromEntries(specs.map(({ name }, c) => [name, nodesOf(c)])),
    };
}

function nodesOf(cluster: number): KubeNode[] {
    return Array.from({ length: NODES }, (_, n) => ({
        metadata: {
            name: `node-${n}`,
            labels: { "kubernetes.io/hostname": `node-${n}`, "topology.kubernetes.io/region": "eu-1" },
            annotations: {
                "kilo.squat.ai/endpoint": `198.${18 + (cluster >> 7)}.${cluster & 127}.${n}:51820`,
                "kilo.squat.ai/granularity": "full",
                "kilo.squat.ai/internal-ip": `192.168.${cluster}.${n}/24`,
                "kilo.squat.ai/key": keyOf(cluster * NODES + n + 1),
                "kilo.squat.ai/last-seen": "1700000000",
                "kilo.squat.ai/wireguard-ip": `100.64.${cluster}.${n}/16`,
            },
        },
        spec: { podCIDR: `10.${cluster}.${n}.0/24`, podCIDRs: [`10.${cluster}.${n}.0/24`] },
        status: { addresses: [{ type: "InternalIP", address: `192.168.${cluster}.${n}` }] },
    }));
}

function keyOf(n: number): string {
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32BE(n, 28);
    return bytes.toString("base64");
}

function milliseconds(run: () => unknown): number {
    const start = process.hrtime.bigint();
    run();
    return Number(process.hrtime.bigint() - start) / 1e6;
}

function measure(size: Size) {
    const given = input(size);
    const plan = planMesh(given);
    const { objects } = plan.capacity;
    const rounds = isQuick ? 2 : Math.min(100, Math.max(4, Math.round(600_000 / objects)));
    const planning: number[] = [];
    const writing: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round++) {
        planning.push(milliseconds(() => planMesh(given)));
        writing.push(
            milliseconds(() => {
                bytes = JSON.stringify(plan).length;
            }),
        );
    }
    const plans = Math.min(...planning);
    const writes = Math.min(...writing);
    return {
        ...size,
        nodes: size.clusters * NODES,
        peers: objects,
        megabytes: round(bytes / 1e6, 1),
        planMs: round(plans, 1),
        stringifyMs: round(writes, 1),
        ratio: round(plans / writes, 2),
        microsecondsPerPeer: round((plans * 1000) / objects, 2),
    };
}

function round(value: number, digits: number): number {
    return Number(value.toFixed(digits));
}

const peersOf = ({ topology, clusters }: Size): number =>
    topology === "hub" ? 2 * (clusters - 1) * NODES : clusters * (clusters - 1) * NODES;
const sizes = isQuick ? SIZES.filter((size) => peersOf(size) <= QUICK) : SIZES;
for (let i = 0; i < 100; i++) planMesh(input(SIZES[0]));
const results = sizes.map(measure);
console.table(results);
console.log(JSON.stringify({ node: process.version, results }));
