import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import ts from "typescript";
import { nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";
import { optionsOf, ROOT, typeErrors } from "./support/check-types";
import { codeBlocks } from "./support/code-blocks";

/** The blocks of docs/testing.md are files of a user's project: the tests among them are run as they stand there. */
const files = new Map(
    codeBlocks("docs/testing.md")
        .filter(({ language }) => language === "ts")
        .map(({ text }) => [/^\/\/ (\S+)\.ts$/m.exec(text)?.[1] ?? "", text] as const),
);

const recorded = (name: string, index: number) => ({
    items: nodeSpecs({ name }, 3, { wireguardIP: null }).map((spec) => nodeObject({ name, index }, spec)),
});

/** What `kubectl get nodes -o json` printed. */
const DATA: Readonly<Record<string, unknown>> = {
    "./hub.json": recorded("hub", 0),
    "./berlin.json": recorded("berlin", 1),
};
const PACKAGES: Readonly<Record<string, () => unknown>> = {
    "@pulumi/pulumi": () => require("@pulumi/pulumi"),
    "pulumi-kilo-clustermesh": () => require("../../../sdk/nodejs"),
    "pulumi-kilo-clustermesh/testing": () => require("../../../sdk/nodejs/testing"),
};

function load(name: string): unknown {
    const data = DATA[name];
    if (data !== undefined) return { __esModule: true, default: data };
    const known = PACKAGES[name];
    return known === undefined ? evaluate(name.replace("./", "")) : known();
}

function evaluate(file: string): unknown {
    const { outputText } = ts.transpileModule(files.get(file)!, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
    });
    const exports = {};
    new Function("require", "exports", "test", "expect", outputText)(load, exports, test, expect);
    return exports;
}

/** What the last program registers after its outputs are known. */
afterAll(() => pulumi.runtime.disconnect());

const tests = [...files.keys()].filter((name) => name.endsWith(".test"));

test("the page has tests of every kind it tells of", () => {
    expect(tests).toEqual(["plan.test", "mesh.test", "wrong.test"]);
    expect([...files.keys()]).toContain("mesh");
});

test("its programs and tests compile", () => {
    const at = (name: string): string => path.join(ROOT, name);
    const sources = [...files].map(([name, text]) => [at(`${name}.ts`), text] as const);
    const data = Object.entries(DATA).map(([name, value]) => [at(name), JSON.stringify(value)] as const);
    const options = {
        ...optionsOf(at("examples/two-clusters/tsconfig.json")),
        ...{ rootDir: ROOT, types: ["node", "jest"], resolveJsonModule: true, esModuleInterop: true },
    };
    expect(
        typeErrors(
            sources.map(([name]) => name),
            options,
            new Map([...sources, ...data]),
        ),
    ).toEqual([]);
}, 300_000);

for (const name of tests) describe(name, () => void evaluate(name));
