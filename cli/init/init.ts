import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseMesh } from "../../provider/mesh/args/validate";
import { count } from "../../provider/values/show";
import { EXIT } from "../exit-codes";
import { UsageError } from "../failure";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import { ownDependencies } from "../version";
import { clusterNames } from "./cluster-names";
import { type Context, chooseContexts, findContexts } from "./contexts";
import { type DraftCluster, draftClusters } from "./draft";
import { FILE_NAMES, projectFiles } from "./files";
import { portablePath } from "./portable-path";
import type { Candidate, Survey, Surveyed, SurveyOptions } from "./survey";

export interface InitRequest {
    readonly kubeconfig?: string;
    readonly contexts: readonly string[];
    readonly name: string;
    readonly directory: string;
}

export interface InitSurroundings extends Pick<SurveyOptions, "timeoutSeconds"> {
    readonly survey: Survey;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly screen: Screen;
    readonly print: (lines: readonly string[]) => void;
    readonly ask: ((question: string) => Promise<string>) | undefined;
    readonly startProgress: (names: readonly string[]) => {
        readonly update: SurveyOptions["onProgress"];
        readonly stop: () => void;
    };
}

/** Writes a project for some contexts of a kubeconfig; all of it or nothing, and never over a file that is there. */
export async function init(request: InitRequest, around: InitSurroundings): Promise<number> {
    const directory = path.resolve(around.cwd, request.directory);
    const present = FILE_NAMES.filter((name) => existsSync(path.join(directory, name)));
    if (present.length > 0) {
        throw new UsageError(
            `${present.join(", ")} ${present.length === 1 ? "is" : "are"} there already; nothing was written`,
            "Give another directory with --directory",
        );
    }
    const found = await findContexts({ ...request, env: around.env, cwd: around.cwd });
    const chosen = await chooseContexts(found, request.contexts, around.ask);
    const candidates = candidatesOf(chosen);
    const surveyed = await surveyAll(candidates, around);
    if (surveyed === undefined) return EXIT.degraded;
    const written = candidates.map((each) => ({ ...each, kubeconfig: portablePath(each.kubeconfig, directory) }));
    const clusters = draftClusters(written, surveyed);
    const wrong = [...unmeshable(clusters, surveyed), ...refused(request.name, clusters)];
    if (wrong.length > 0) {
        around.print([
            `These clusters cannot be one mesh as they are; nothing was written`,
            ...wrong.map((each) => `  ${visible(each)}`),
        ]);
        return EXIT.degraded;
    }
    await mkdir(directory, { recursive: true });
    for (const { name, text } of projectFiles({ mesh: request.name, clusters, dependencies: ownDependencies() })) {
        await writeFile(path.join(directory, name), text, { flag: "wx" });
    }
    around.print(summary(clusters, path.relative(around.cwd, directory), around.screen));
    return EXIT.healthy;
}

function candidatesOf(chosen: readonly Context[]): readonly Candidate[] {
    const names = clusterNames(chosen.map(({ name }) => name));
    return chosen.map(({ name, file }, at) => ({ name: names[at]!, kubeconfig: file, context: name }));
}

async function surveyAll(
    candidates: readonly Candidate[],
    { survey, timeoutSeconds, startProgress, print, screen }: InitSurroundings,
): Promise<Readonly<Record<string, Surveyed>> | undefined> {
    const progress = startProgress(candidates.map(({ name }) => name));
    const found = await survey(candidates, { timeoutSeconds, onProgress: progress.update }).finally(progress.stop);
    const failed = Object.entries(found).flatMap(([name, each]) => (each.ok ? [] : [{ name, ...each }]));
    if (failed.length === 0) return found as Readonly<Record<string, Surveyed>>;
    print([
        `${failed.length} of ${count(candidates.length, "cluster")} could not be read; nothing was written`,
        ...failed.flatMap(({ name, message, fix }) =>
            hanging(`  ${screen.paint("red", visible(name))}  `, visible(`${message}. ${fix}`), screen.width),
        ),
    ]);
    return undefined;
}

/** What no choice of networks can help. */
function unmeshable(clusters: readonly DraftCluster[], found: Readonly<Record<string, Surveyed>>): readonly string[] {
    const byIdentity = new Map<string, string>();
    return clusters.flatMap(({ name, podCIDRs }) => {
        const { identity } = found[name]!;
        const twin = identity === undefined ? undefined : byIdentity.get(identity);
        if (identity !== undefined && twin === undefined) byIdentity.set(identity, name);
        return [
            ...(twin === undefined
                ? []
                : [`${name} is the same cluster as ${twin}. Name one context of each cluster.`]),
            ...(podCIDRs.length > 0 ? [] : [`${name} has no node with a pod CIDR. Kilo needs one on every node.`]),
        ];
    });
}

function refused(mesh: string, clusters: readonly DraftCluster[]): readonly string[] {
    const declared = clusters.filter(({ podCIDRs }) => podCIDRs.length > 0).map(({ notes, ...cluster }) => cluster);
    if (declared.length < clusters.length) return [];
    return parseMesh({ mesh, clusters: declared }, { requireAccess: true })
        .issues.filter(({ severity }) => severity === "error")
        .map(({ message, fix }) => `${message}. ${fix}.`);
}

function summary(clusters: readonly DraftCluster[], directory: string, { paint, width }: Screen): string[] {
    return [
        `${paint("bold", `wrote ${FILE_NAMES.join(", ")}`)}${directory === "" ? "" : ` in ${directory}`}`,
        ...clusters.flatMap(({ name, notes, podCIDRs, serviceCIDR, wireguardCIDR }) => [
            "",
            `${paint("bold", name)}  ${[...podCIDRs, serviceCIDR ?? [], wireguardCIDR ?? []].flat().join(", ")}`,
            ...notes.flatMap((note) => hanging("  ", note, width)),
        ]),
        "",
        paint("bold", "Next"),
        ...(directory === "" ? [] : [`  cd ${directory}`]),
        "  npm install",
        "  npx kilo-clustermesh doctor",
        "  pulumi stack init dev",
        "  pulumi up",
    ];
}
