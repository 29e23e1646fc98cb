import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesUnder, importsUnder, type Layer, violations } from "./layers";

const ROOT = join(__dirname, "../../..");

/** Imports point downwards only. The mesh is pure; what talks to clusters knows no Pulumi; a host is replaceable. */
const LAYERS: Readonly<Record<string, Layer>> = {
    values: { paths: ["provider/values/"], uses: [], packages: ["node:crypto"] },
    net: { paths: ["provider/net/"], uses: ["values"], packages: ["ip-address"] },
    kilo: { paths: ["provider/kilo/"], uses: ["net", "values"], packages: [] },
    mesh: { paths: ["provider/mesh/"], uses: ["kilo", "net", "values"], packages: ["zod", "node:crypto"] },
    state: {
        paths: ["provider/state/"],
        uses: ["kilo", "net", "values"],
        packages: ["node:crypto", "node:zlib"],
    },
    kube: {
        paths: ["provider/kube/"],
        uses: ["kilo", "values"],
        packages: ["@kubernetes/client-node", "undici", "zod", "yaml", "node:"],
    },
    observe: { paths: ["provider/observe/"], uses: ["mesh", "kube", "state", "kilo", "values"], packages: ["node:"] },
    resources: {
        paths: ["provider/resources/"],
        uses: ["mesh", "kube", "state", "kilo", "net", "values"],
        packages: ["zod", "node:"],
    },
    plugin: {
        paths: ["provider/hosts/plugin/"],
        uses: ["host", "sdk", "resources", "kube", "values"],
        packages: ["@pulumi/pulumi", "@grpc/grpc-js", "google-protobuf", "node:"],
    },
    host: {
        paths: ["provider/hosts/"],
        uses: ["resources", "mesh", "kube", "state"],
        packages: ["@pulumi/pulumi", "@grpc/grpc-js", "node:"],
    },
    cli: {
        paths: ["cli/"],
        uses: ["resources", "observe", "mesh", "kube", "state", "kilo", "net", "values"],
        packages: ["yaml", "zod", "prom-client", "node:"],
    },
    sdk: {
        paths: ["sdk/"],
        uses: ["observe", "resources", "mesh", "kube", "state", "kilo", "values"],
        packages: ["@pulumi/pulumi", "node:"],
    },
};

test("imports point downwards only", () => {
    expect(violations(LAYERS, importsUnder(ROOT, ["provider", "sdk", "cli"]))).toEqual([]);
});

test("the mesh reads no clock, no environment and no chance", () => {
    const impure = /\b(Date\.now|new Date\(\)|performance\.now|process\.|Math\.random|randomUUID|randomBytes)/;
    const found = filesUnder(join(ROOT, "provider/mesh")).flatMap((file) =>
        readFileSync(file, "utf8")
            .split("\n")
            .flatMap((line, at) => (impure.test(line) ? [`${relative(ROOT, file)}:${at + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
});

describe("the rule itself notices", () => {
    test.each([
        ["an upward import", { file: "provider/mesh/plan", target: "provider/kube/client" }],
        ["a sideways import", { file: "provider/resources/member", target: "provider/observe/observe-clusters" }],
        ["Pulumi below the host", { file: "provider/resources/member", target: "@pulumi/pulumi" }],
        ["the host in the program", { file: "sdk/nodejs/cluster-mesh", target: "provider/hosts/dynamic/index" }],
        [
            "the plugin in a TypeScript program's host",
            { file: "provider/hosts/dynamic/index", target: "provider/hosts/plugin/server" },
        ],
        ["I/O in the mesh", { file: "provider/mesh/plan", target: "node:fs" }],
        ["the command line in the library", { file: "sdk/nodejs/cluster-mesh", target: "cli/main" }],
        ["a package nobody allowed", { file: "sdk/nodejs/cluster-mesh", target: "lodash" }],
        ["a file that belongs nowhere", { file: "provider/misc", target: "node:fs" }],
    ])("%s", (_, broken) => {
        expect(violations(LAYERS, [broken])).toHaveLength(1);
    });

    test("and lets downward imports pass", () => {
        const fine = { file: "provider/resources/member", target: "provider/mesh/plan" };
        expect(violations(LAYERS, [fine])).toEqual([]);
    });
});
