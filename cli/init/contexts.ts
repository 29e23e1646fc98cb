import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { contextNames } from "../../provider/kube/auth/kubeconfig";
import { KubeError } from "../../provider/kube/errors/kube-error";
import { noSuch, UsageError } from "../failure";
import { visible } from "../render/visible";

export interface Context {
    readonly name: string;
    /** Absolute path of the kubeconfig that has it. */
    readonly file: string;
}

export interface ContextSource {
    readonly kubeconfig?: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
}

/** As kubectl does: the file that was given, else those of KUBECONFIG, else ~/.kube/config; the first of a name wins. */
export async function findContexts({ kubeconfig, env, cwd }: ContextSource): Promise<readonly Context[]> {
    const listed = (env.KUBECONFIG ?? "").split(path.delimiter).filter((file) => file !== "");
    const home = path.join(homedir(), ".kube", "config");
    const files = kubeconfig !== undefined ? [withHome(kubeconfig)] : listed.length > 0 ? listed : [home];
    const found = new Map<string, Context>();
    for (const given of files) {
        const file = path.resolve(cwd, given);
        for (const name of await namesIn(file)) if (!found.has(name)) found.set(name, { name, file });
    }
    if (found.size > 0) return [...found.values()];
    throw new UsageError(
        `${files.join(", ")} has no context`,
        "Name a kubeconfig with --kubeconfig; kubectl config get-contexts shows what is in one",
    );
}

const withHome = (file: string): string => (/^~[/\\]/.test(file) ? path.join(homedir(), file.slice(1)) : file);

async function namesIn(file: string): Promise<readonly string[]> {
    try {
        return contextNames({ text: await readFile(file, "utf8"), directory: path.dirname(file) });
    } catch (error) {
        if (error instanceof KubeError) throw new UsageError(`${file} is not a kubeconfig`, error.fix);
        const { code = "unknown error" } = error as NodeJS.ErrnoException;
        throw new UsageError(`${file} cannot be read (${code})`, "Name a kubeconfig with --kubeconfig");
    }
}

/** Those that were named, or that the person at the terminal picks. */
export async function chooseContexts(
    found: readonly Context[],
    named: readonly string[],
    ask: ((question: string) => Promise<string>) | undefined,
): Promise<readonly Context[]> {
    if (named.length > 0) return atLeastTwo(named.map((name) => byName(found, name)));
    const names = found.map(({ name }) => visible(name));
    if (ask === undefined) {
        throw new UsageError(
            "init needs the contexts of at least two clusters",
            `Give --context for each; there are ${names.join(", ")}`,
        );
    }
    const list = names.map((name, at) => `  ${at + 1}  ${name}`).join("\n");
    const answer = await ask(`${list}\nWhich are to be in the mesh? Numbers or names, separated by spaces: `);
    const words = answer.split(/[\s,]+/).filter((word) => word !== "");
    return atLeastTwo(words.map((word) => found[Number(word) - 1] ?? byName(found, word)));
}

function byName(found: readonly Context[], name: string): Context {
    const names = found.map((context) => context.name);
    const context = found.find((each) => each.name === name);
    if (context === undefined) throw noSuch(`there is no context ${JSON.stringify(name)}`, name, names);
    return context;
}

function atLeastTwo(chosen: readonly Context[]): readonly Context[] {
    const distinct = [...new Set(chosen)];
    if (distinct.length >= 2) return distinct;
    throw new UsageError("a mesh needs at least two clusters", "Name the contexts of two or more");
}
