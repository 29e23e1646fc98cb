import { join } from "node:path";
import { dependencies } from "../../package.json";
import { type Context, defaultContext } from "./context";
import { npmPackages } from "./npm-packages";

/** A Node and a Pulumi SDK that users have, with what our package needs beside them. */
export interface NodeRuntime {
    /** The directory of the `node` program: put it first on PATH. */
    readonly bin: string;
    /** A node_modules directory with the SDK and our dependencies, and without our package. */
    readonly modules: string;
}

export interface NodeRuntimeVersions {
    readonly node: string;
    readonly sdk: string;
}

/** From npm, where Node is published as a package for each platform; kept in the cache of the tools. */
export async function nodeRuntime(
    { node, sdk }: NodeRuntimeVersions,
    options: Partial<Context> = {},
): Promise<NodeRuntime> {
    const context = defaultContext(options);
    const name = `node-${context.platform === "win32" ? "win" : context.platform}-${context.arch}`;
    const program = await npmPackages(context, `Node ${node}`, { [name]: node });
    const modules = await npmPackages(context, `the Pulumi SDK ${sdk}`, { "@pulumi/pulumi": sdk, ...dependencies });
    return { bin: join(program, name, "bin"), modules };
}
