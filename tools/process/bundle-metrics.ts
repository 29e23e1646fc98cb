import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { LICENSES, thirdPartyLicenses } from "./licenses";
import { ROOT } from "./run-program";

/** Puts `prom-client` into the package as one file of some 70 kB; installed it is four packages and 2.6 MB. */
export async function bundleMetrics(dist = join(ROOT, "dist")): Promise<void> {
    const { metafile } = await build({
        absWorkingDir: ROOT,
        entryPoints: [join(ROOT, "cli/metrics/prom-client.ts")],
        outfile: join(dist, "cli/metrics/prom-client.js"),
        bundle: true,
        platform: "node",
        target: "node20",
        format: "cjs",
        minify: true,
        legalComments: "none",
        metafile: true,
        logLevel: "error",
    });
    writeFileSync(join(dist, "cli/metrics", LICENSES), thirdPartyLicenses(metafile));
}
