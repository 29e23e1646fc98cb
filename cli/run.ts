import type { MeshSpec } from "../provider/mesh/types";
import { type ColourChoice, type Request, readArguments } from "./arguments";
import { type Assessment, assess } from "./assess";
import { doctorReport } from "./doctor/report";
import { doctorText } from "./doctor/text";
import { EXIT } from "./exit-codes";
import { noSuch, UsageError } from "./failure";
import { drawGraph } from "./graph/draw";
import { helpText } from "./help";
import { init } from "./init/init";
import type { Survey } from "./init/survey";
import { countMesh } from "./metrics/mesh-counts";
import { prometheusText } from "./metrics/prometheus";
import { planReport } from "./plan/report";
import { planText } from "./plan/text";
import { installPlugin } from "./plugin";
import { type Output, startProgress } from "./progress";
import { coloured, plain } from "./render/paint";
import { visible } from "./render/visible";
import type { Screen } from "./screen";
import type { Look, Sight } from "./sight";
import { readSource, type Source } from "./source";
import { allSeen, statusReport } from "./status/report";
import { statusText, tunnelsSeen } from "./status/text";
import { namedOwner } from "./sweep/named-owner";
import type { Reach } from "./sweep/reach";
import { recordedOwner } from "./sweep/recorded-owner";
import { sweep } from "./sweep/sweep";
import { wantedPlace } from "./trace/place";
import { traceReport } from "./trace/report";
import { traceText } from "./trace/text";
import { packageVersion } from "./version";
import { watch } from "./watch/command";

/** What the command touches outside itself. */
export interface Surroundings {
    readonly out: Output;
    readonly err: Output;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly look: Look;
    readonly reach: Reach;
    readonly survey: Survey;
    /** Asks the person at the terminal; undefined where there is none. */
    readonly ask: ((question: string) => Promise<string>) | undefined;
    /** The standard input, whole. */
    readonly input: () => Promise<string>;
    /** Calls when the process is asked to end, for a command that goes on until then. */
    readonly onStop: (stop: () => void) => void;
}

type RunRequest = Extract<Request, { kind: "run" }>;
const DEFAULT_TIMEOUT = 10;

/** Does what the command line says and returns the exit code. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
    try {
        const request = readArguments(argv);
        switch (request.kind) {
            case "version":
                around.out.write(`${packageVersion()}\n`);
                return EXIT.healthy;
            case "help": {
                const out = request.asked ? around.out : around.err;
                const { paint, width } = screenOn(out, "auto", around.env);
                print(out, helpText(request.command, paint, width));
                return request.asked ? EXIT.healthy : EXIT.usage;
            }
            case "run":
                return await runCommand(request, around);
        }
    } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const { paint } = screenOn(around.err, "auto", around.env);
        print(around.err, [
            `${paint("red", "error")}: ${error.message}`,
            ...(error.hint === undefined ? [] : [error.hint]),
        ]);
        return EXIT.usage;
    }
}

async function runCommand(request: RunRequest, around: Surroundings): Promise<number> {
    const { command } = request;
    if (command === "init") return runInit(request, around);
    if (command === "plugin") {
        print(around.out, [installPlugin(request.operands?.[0] ?? "", around.env)]);
        return EXIT.healthy;
    }
    if (command === "sweep") return runSweep(request, around);
    if (command === "watch") return runWatch(request, around);
    const source = await readSource(request, around);
    const { mesh } = source;
    if (request.target !== undefined) requireCluster(request.target, mesh);
    const places = (request.operands ?? []).map((text) => wantedPlace(text, mesh));
    if (places[0] !== undefined && places[0].cluster === places[1]?.cluster) {
        throw new UsageError(
            `both are in ${places[0].cluster}`,
            "Name two clusters: Kilo itself connects the nodes of one",
        );
    }
    const assessment = await assessSeen(source, request, around);
    const screen = screenOn(around.out, request.color, around.env);
    const show = (report: object, lines: () => string[]): void =>
        request.json ? around.out.write(`${JSON.stringify(report, undefined, 2)}\n`) : print(around.out, lines());
    switch (command) {
        case "plan": {
            const report = planReport(assessment, request.target);
            show(report, () => planText(report, screen, request.all));
            return report.complete ? EXIT.healthy : EXIT.degraded;
        }
        case "status": {
            const report = statusReport(assessment, request.target);
            if (request.format === "prometheus") {
                around.out.write(await prometheusText(countMesh(assessment, request.target)));
            } else show(report, () => statusText(report, screen, request.all));
            const isGood = request.wait === undefined ? report.inPlace : report.healthy;
            return isGood ? EXIT.healthy : EXIT.degraded;
        }
        case "doctor": {
            const report = doctorReport(assessment, { cwd: around.cwd, file: request.file });
            show(report, () => doctorText(report, screen));
            const { error, warning } = report.counts;
            return error > 0 || (request.strict && warning > 0) ? EXIT.degraded : EXIT.healthy;
        }
        case "trace": {
            const report = traceReport(assessment, [places[0]!, places[1]!], { cwd: around.cwd, file: request.file });
            show(report, () => traceText(report, screen));
            return report.verdict === "broken" || report.verdict === "unknown" ? EXIT.degraded : EXIT.healthy;
        }
        case "graph":
            around.out.write(drawGraph(assessment, request.format));
            return EXIT.healthy;
    }
}

function runInit(request: RunRequest, { out, err, env, cwd, survey, ask }: Surroundings): Promise<number> {
    const { contexts = [], name = "mesh", directory = ".", color, timeout } = request;
    const kubeconfig = request.kubeconfig === undefined ? {} : { kubeconfig: request.kubeconfig };
    return init(
        { ...kubeconfig, contexts, name, directory },
        {
            ...{ env, cwd, survey, ask },
            screen: screenOn(out, color, env),
            print: (lines) => print(out, lines),
            timeoutSeconds: timeout ?? DEFAULT_TIMEOUT,
            startProgress: (names) => startProgress(names, err),
        },
    );
}

async function runSweep(request: RunRequest, around: Surroundings): Promise<number> {
    const { stack, claim, meshId, json, all, yes = false, color, timeout } = request;
    const { out, err, env, reach, ask } = around;
    if (stack !== undefined && (claim !== undefined || meshId !== undefined)) {
        throw new UsageError("--stack already says whose peers are looked for", "Leave out --claim and --mesh-id");
    }
    const named = stack === undefined ? namedOwner(request) : undefined;
    const { mesh, record } = await readSource(request, around);
    const { of, owner } = named ?? recordedOwner(stack!, record!);
    const progress = startProgress(
        mesh.clusters.map(({ name }) => name),
        err,
    );
    return sweep(
        { of, owner, clusters: mesh.clusters, json, all, yes },
        {
            reach,
            ask,
            screen: screenOn(out, color, env),
            write: (text) => out.write(text),
            timeoutSeconds: timeout ?? mesh.requestTimeout ?? DEFAULT_TIMEOUT,
            onProgress: progress.update,
            stopProgress: progress.stop,
        },
    );
}

function runWatch(request: RunRequest, around: Surroundings): Promise<number> {
    const log = (line: string): void => around.out.write(`${new Date().toISOString()} ${visible(line)}\n`);
    return watch({ ...request, watch: request.watch! }, { ...around, log });
}

/** Between two looks while tunnels come up; Kilo writes what it saw every 30 seconds. */
const WAIT_SECONDS = 5;

/** With `--wait`: looks again until every tunnel was seen, or the time is over. */
async function assessSeen(source: Source, request: RunRequest, around: Surroundings): Promise<Assessment> {
    let assessment = await assessSettled(source, request, around);
    for (let left = request.wait ?? 0; left > 0; ) {
        const report = statusReport(assessment, request.target);
        if (allSeen(report)) break;
        around.err.write(`${tunnelsSeen(report)}; ${Math.ceil(left)} s left\n`);
        const pause = Math.min(WAIT_SECONDS, left);
        const start = Date.now();
        assessment = assess(source.mesh, await lookAt(source.mesh, request, around, pause), source.record);
        left -= Math.max(pause, (Date.now() - start) / 1000);
    }
    return assessment;
}

/** Seconds after which annotations that are still missing count: a restart of Kilo takes them away for a moment. */
const SETTLE_SECONDS = 5;

/** A moment without annotations moves no leader and no network: only what a second look still lacks counts. */
async function assessSettled({ mesh, record }: Source, request: RunRequest, around: Surroundings): Promise<Assessment> {
    const first = assess(mesh, await lookAt(mesh, request, around, 0), record);
    const { unsettled, issues } = first.plan;
    const isSettled = unsettled.length === 0 && !issues.some(({ code }) => code === "LeaderMoved");
    return isSettled ? first : assess(mesh, await lookAt(mesh, request, around, SETTLE_SECONDS), record);
}

async function lookAt(
    mesh: MeshSpec,
    request: RunRequest,
    { look, err }: Surroundings,
    afterSeconds: number,
): Promise<Sight> {
    const progress = startProgress(
        mesh.clusters.map(({ name }) => name),
        err,
    );
    try {
        return await look(mesh, {
            timeoutSeconds: request.timeout ?? mesh.requestTimeout ?? DEFAULT_TIMEOUT,
            withPermissions: request.command === "doctor",
            afterSeconds,
            onProgress: progress.update,
        });
    } finally {
        progress.stop();
    }
}

function requireCluster(target: string, mesh: MeshSpec): void {
    const names = mesh.clusters.map(({ name }) => name);
    if (names.includes(target)) return;
    throw noSuch(`there is no cluster ${JSON.stringify(target)} in the mesh file`, target, names);
}

function screenOn(out: Output, choice: ColourChoice, env: Surroundings["env"]): Screen {
    const wanted = choice === "always" || (choice === "auto" && out.isTTY && !env.NO_COLOR && env.TERM !== "dumb");
    return { paint: wanted ? coloured : plain, width: out.columns ?? Number.POSITIVE_INFINITY };
}

const print = (out: Output, lines: readonly string[]): void => out.write(`${lines.join("\n")}\n`);
