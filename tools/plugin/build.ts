import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildResult, build, type Plugin } from "esbuild";
import { LICENSES, thirdPartyLicenses } from "../process/licenses";
import { ROOT } from "../process/run-program";

/** The name under which the engine looks for it. */
export const EXECUTABLE = "pulumi-resource-kilo-clustermesh";
export const PLUGIN_DIRECTORY = join(ROOT, "dist/plugin");

/**
 * Parts of Pulumi's SDK that serve programs and not plugins: the compiler for closures, the Automation API, dynamic
 * resources and tracing, with all they need.
 */
const LEFT_OUT =
    /^(@opentelemetry\/(?!api$).*|@npmcli\/arborist|@logdna\/tail-file|execa|fdir|ini|js-yaml|normalize-package-data|picomatch|require-from-string|source-map-support|tmp|typescript|upath)$|\/(automation|dynamic|closure\/[\w/]+|typescript-shim|codePaths|tracing)$/;

const leaveOut: Plugin = {
    name: "leave out",
    setup: (bundler) => {
        bundler.onResolve({ filter: /.*/ }, ({ path, importer }) =>
            /[\\/]@pulumi[\\/]pulumi[\\/]/.test(importer) && LEFT_OUT.test(path)
                ? { path, namespace: "left-out" }
                : null,
        );
        // gRPC's own service for debugging, which nobody asks for, loads definitions
        bundler.onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: "left-out" }));
        // zod brings its messages in all languages; ours are English and our own
        bundler.onResolve({ filter: /locales\/index/ }, ({ path, importer }) =>
            /[\\/]zod[\\/]/.test(importer) ? { path, namespace: "left-out" } : null,
        );
        bundler.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
            contents: "module.exports = {};",
            loader: "js",
        }));
    },
};

/**
 * The plugin as a directory that needs nothing but Node: one bundle, because classes of the SDK that exist twice do not
 * recognize each other, and a start line for shells and for Windows.
 */
export async function buildPlugin(directory = PLUGIN_DIRECTORY): Promise<BuildResult<{ metafile: true }>> {
    const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const result = await build({
        absWorkingDir: ROOT,
        entryPoints: [join(ROOT, "provider/hosts/plugin/main.ts")],
        outfile: join(directory, "plugin.js"),
        bundle: true,
        platform: "node",
        target: "node20",
        format: "cjs",
        minify: true,
        // messages and errors name classes
        keepNames: true,
        legalComments: "none",
        metafile: true,
        logLevel: "error",
        define: { PLUGIN_VERSION: JSON.stringify(version) },
        external: ["@kubernetes/client-node"],
        plugins: [leaveOut],
    });
    writeFileSync(join(directory, LICENSES), thirdPartyLicenses(result.metafile));
    cpSync(join(ROOT, "schema.json"), join(directory, "schema.json"));
    const start = join(directory, EXECUTABLE);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    writeFileSync(start, '#!/bin/sh\nexec node "${0%/*}/plugin.js" "$@"\n');
    chmodSync(start, 0o755);
    writeFileSync(`${start}.cmd`, '@node "%~dp0plugin.js" %*\r\n');
    return result;
}

if (require.main === module) {
    buildPlugin().catch((error: unknown) => {
        console.error(error instanceof Error ? error.message : error);
        process.exitCode = 1;
    });
}
