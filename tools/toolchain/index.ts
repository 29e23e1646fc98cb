import { dirname, join } from "node:path";
import { binDirectory } from "./bin-directory";
import { catalogue, languageHosts } from "./catalogue";
import { type Context, defaultContext } from "./context";
import { fromVariable, locate } from "./locate";
import { obtain } from "./obtain";
import type { Tool } from "./tool";

export { ToolchainError } from "./errors";

/** Absolute paths of every program that the tests, the benchmarks and the quick start run. */
export interface Toolchain {
    readonly pulumi: string;
    readonly pulumiLanguageNodejs: string;
    /** The dynamic-provider host of the installed @pulumi/pulumi. */
    readonly pulumiResourceNodejs: string;
    readonly kubeApiserver: string;
    readonly etcd: string;
    readonly kubectl: string;
    /** Put this first on PATH to run pulumi: its three programs lie here side by side. */
    readonly binDir: string;
}

export type ToolchainOptions = Partial<Context>;

/**
 * For each tool, in this order: its environment variable; KUBEBUILDER_ASSETS; a suitable one on PATH; the cache; the
 * official download; a build with Go from the pinned modules in tools/go.
 */
export async function toolchain(options: ToolchainOptions = {}): Promise<Toolchain> {
    return sideBySide(defaultContext(options), []);
}

/** The same, with the language hosts of YAML, Python and Go in `binDir` too. */
export async function toolchainOfAllLanguages(options: ToolchainOptions = {}): Promise<Toolchain> {
    return sideBySide(defaultContext(options), Object.values(languageHosts));
}

async function sideBySide(context: Context, hosts: readonly Tool[]): Promise<Toolchain> {
    const found = await findTools(context, [...Object.values(catalogue), ...hosts]);
    const path = (tool: Tool) => found.get(tool.name)!;
    const binDir = await binDirectory(context, {
        cli: path(catalogue.pulumi),
        languageHosts: [catalogue.pulumiLanguageNodejs, ...hosts].map(path),
        providerHost: (await fromVariable(context, providerHost)) ?? installedProviderHost(),
    });
    return {
        pulumi: join(binDir, "pulumi"),
        pulumiLanguageNodejs: join(binDir, "pulumi-language-nodejs"),
        pulumiResourceNodejs: join(binDir, providerHost.name),
        kubeApiserver: path(catalogue.kubeApiserver),
        etcd: path(catalogue.etcd),
        kubectl: path(catalogue.kubectl),
        binDir,
    };
}

/** Every tool by name: those on the machine, the rest from the cache, from a download or from source. */
export async function findTools(context: Context, tools: readonly Tool[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const tool of tools) {
        const path = await locate(context, tool, found);
        if (path !== undefined) found.set(tool.name, path);
    }
    const missing = tools.filter(({ name }) => !found.has(name));
    for (const [name, path] of await obtain(context, missing)) found.set(name, path);
    return found;
}

/** Variables that make later calls, in child processes too, take these tools without looking further. */
export function toolchainVariables(tools: Toolchain): Record<string, string> {
    return Object.fromEntries(
        Object.entries(catalogue).map(([key, { variable }]) => [variable, tools[key as keyof typeof catalogue]]),
    );
}

/** Not compiled: a script in the npm package of the SDK. */
const providerHost = {
    name: "pulumi-resource-pulumi-nodejs",
    variable: "KILO_CLUSTERMESH_PULUMI_RESOURCE_NODEJS",
} as const;

function installedProviderHost(): string {
    return join(dirname(require.resolve("@pulumi/pulumi/package.json")), providerHost.name);
}
