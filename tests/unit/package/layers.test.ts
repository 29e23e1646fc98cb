import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesUnder, importsUnder, type Layer, violations } from "./layers";

const ROOT = join(__dirname, "../../..");

/** Imports point downwards only. The mesh is pure; what talks to clusters knows no Pulumi; a host is replaceable. */
const LAYERS: Readonly<Record<string, Layer>> = {
    mesh: { paths: ["provider/mesh/"], uses: [], packages: ["ip-address", "zod", "node:crypto"] },
    kube: {
        paths: ["provider/kube/"],
        uses: ["mesh"],
        packages: ["@kubernetes/client-node", "undici", "zod", "js-yaml", "node:"],
    },
    observe: { paths: ["provider/observe", "provider/observe/"], uses: ["kube", "mesh"], packages: ["node:"] },
    resources: { paths: ["provider/resources/"], uses: ["kube", "mesh"], packages: ["zod", "node:"] },
    host: {
        paths: [
            "provider/dynamic",
            "provider/broken-pipes",
            "provider/end-with-engine",
            "provider/engine-reporter",
            "provider/ordered-lines",
        ],
        uses: ["resources", "kube", "mesh"],
        packages: ["@pulumi/pulumi", "@grpc/grpc-js", "node:"],
    },
    cli: { paths: ["sdk/cli/"], uses: ["sdk", "observe", "kube", "mesh"], packages: ["js-yaml", "zod", "node:"] },
    sdk: { paths: ["sdk/"], uses: ["observe", "kube", "mesh"], packages: ["@pulumi/pulumi", "node:"] },
};

test("imports point downwards only", () => {
    expect(violations(LAYERS, importsUnder(ROOT, ["provider", "sdk"]))).toEqual([]);
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
        ["a sideways import", { file: "provider/resources/member", target: "provider/observe" }],
        ["Pulumi below the host", { file: "provider/resources/member", target: "@pulumi/pulumi" }],
        ["the host in the program", { file: "sdk/cluster-mesh", target: "provider/dynamic" }],
        ["I/O in the mesh", { file: "provider/mesh/plan", target: "node:fs" }],
        ["the command line in the library", { file: "sdk/cluster-mesh", target: "sdk/cli/main" }],
        ["a package nobody allowed", { file: "sdk/cluster-mesh", target: "lodash" }],
        ["a file that belongs nowhere", { file: "provider/misc", target: "node:fs" }],
    ])("%s", (_, broken) => {
        expect(violations(LAYERS, [broken])).toHaveLength(1);
    });

    test("and lets downward imports pass", () => {
        const fine = { file: "provider/resources/member", target: "provider/mesh/plan" };
        expect(violations(LAYERS, [fine])).toEqual([]);
    });
});
