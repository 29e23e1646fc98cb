import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPlugin } from "../../../tools/plugin/build";
import { bundleMetrics } from "../../../tools/process/bundle-metrics";
import { LICENSES } from "../../../tools/process/licenses";

let directory: string;
beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "kilo-licenses-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** `name version (licence)` of every part. */
const parts = (text: string): string[] => text.match(/^\S+ \d+\.\d+\.\d+\S* \(.+\)$/gm) ?? [];

test("the plugin goes with the licence text of every package in its bundle", async () => {
    const { metafile } = await buildPlugin(join(directory, "plugin"));
    const text = readFileSync(join(directory, "plugin", LICENSES), "utf8");
    const inside = Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.keys(inputs))
        .flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input)?.[1] ?? []);
    expect([...new Set(parts(text).map((part) => part.split(" ")[0]))]).toEqual([...new Set(inside)].sort());
    expect(inside).toEqual(expect.arrayContaining(["@pulumi/pulumi", "@grpc/grpc-js", "undici", "zod", "yaml"]));
    expect(text).toContain("Copyright (c) Matteo Collina and Undici contributors");
    expect(text).toContain("Copyright Eemeli Aro");
    expect(text).toContain("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
});

test("the metrics bundle goes with the licence text of prom-client and of what it needs", async () => {
    await bundleMetrics(directory);
    const text = readFileSync(join(directory, "cli/metrics", LICENSES), "utf8");
    expect(parts(text).map((part) => part.split(" ")[0])).toContain("prom-client");
    expect(text).toContain("Apache License");
});
