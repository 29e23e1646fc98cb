import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { optionsOf, ROOT, typeErrors } from "./support/check-types";

const EXAMPLES = path.join(ROOT, "examples");
/** A pack for the programs of others, not a program. */
const POLICY = "policy";
const names = readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== POLICY)
    .map(({ name }) => name)
    .sort();
/** In the language of this package; the others are checked by running them (tests/e2e/examples). */
const inTypeScript = names.filter((name) => !/-(go|python|yaml)$/.test(name));
const read = (...parts: string[]): string => readFileSync(path.join(EXAMPLES, ...parts), "utf8");
const json = (name: string, file: string): Record<string, unknown> => JSON.parse(read(name, file));
const own = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));

test("the examples are those that are asked for", () => {
    expect(names).toEqual([
        "aks",
        "compose",
        "continuous",
        "eks",
        "gke",
        "hub-and-spoke",
        "location-granularity",
        "migrate-from-operator",
        "nat-edge",
        "two-clusters",
        "two-clusters-go",
        "two-clusters-python",
        "two-clusters-yaml",
    ]);
});

test("every example compiles with the settings it ships, and all ship the same", () => {
    const settings = inTypeScript.map((name) => json(name, "tsconfig.json"));
    for (const each of settings) expect(each).toEqual(settings[0]);
    const programs = [...inTypeScript, POLICY].map((name) => path.join(EXAMPLES, name, "index.ts"));
    expect(typeErrors(programs, optionsOf(path.join(EXAMPLES, names[0]!, "tsconfig.json")))).toEqual([]);
});

describe.each(inTypeScript)("%s", (name) => {
    test("is a complete project: program, settings and a page that explains it", () => {
        for (const file of ["Pulumi.yaml", "package.json", "tsconfig.json", "index.ts", "README.md"]) {
            expect(existsSync(path.join(EXAMPLES, name, file))).toBe(true);
        }
        const { name: project, description, runtime } = parse(read(name, "Pulumi.yaml")) as Record<string, unknown>;
        expect({ project, runtime }).toEqual({ project: name, runtime: "nodejs" });
        expect(description).toEqual(expect.any(String));
        expect(json(name, "package.json")).toMatchObject({ name, private: true, main: "index.ts" });
    });

    test("depends on this version of the package and on a Pulumi SDK that the package accepts", () => {
        const dependencies = json(name, "package.json").dependencies as Record<string, string>;
        expect(dependencies["pulumi-kilo-clustermesh"]).toBe(`^${own.version}`);
        expect(dependencies["@pulumi/pulumi"]).toBe(own.peerDependencies["@pulumi/pulumi"]);
        const imported = [...read(name, "index.ts").matchAll(/from "([^".][^"]*)"/g)].map(([, from]) => from!);
        for (const from of imported) expect(dependencies).toHaveProperty([from]);
    });

    test("declares every configuration key that it reads", () => {
        const { config = {} } = parse(read(name, "Pulumi.yaml")) as { config?: Record<string, unknown> };
        const sources = readdirSync(path.join(EXAMPLES, name)).filter((file) => file.endsWith(".ts"));
        const keys = sources.flatMap((file) =>
            [...read(name, file).matchAll(/\.require\w*(?:<[^(]*>)?\(\s*"(\w+)"/g)].map(([, key]) => key!),
        );
        expect(keys.sort()).toEqual(Object.keys(config).sort());
    });
});

test("what the examples of clouds have in common is the same file, to be copied from any of them", () => {
    const common = {
        "kilo.ts": ["eks", "gke", "aks"],
        "mesh-account.ts": ["eks", "gke", "aks"],
        "node-ranges.ts": ["eks", "aks"],
    };
    for (const [file, [first, ...others]] of Object.entries(common)) {
        for (const other of others) expect(read(other, file)).toBe(read(first!, file));
    }
});

describe.each([
    ["yaml", ["Pulumi.yaml"]],
    ["python", ["__main__.py", "requirements.txt"]],
    ["go", ["main.go", "go.mod", "go.sum"]],
])("two-clusters-%s", (runtime, files) => {
    const name = `two-clusters-${runtime}`;

    test("is a complete project: program, settings and a page that explains it", () => {
        for (const file of [...files, "README.md"]) expect(existsSync(path.join(EXAMPLES, name, file))).toBe(true);
        expect(parse(read(name, "Pulumi.yaml"))).toMatchObject({
            name,
            runtime,
            description: expect.any(String),
            config: { amsterdamKubeconfig: expect.anything(), berlinKubeconfig: expect.anything() },
        });
    });

    test("depends on this version of the SDK", () => {
        const versions: Record<string, readonly [string, string]> = {
            yaml: ["Pulumi.yaml", "kilo-clustermesh:ClusterMesh"],
            python: ["requirements.txt", `pulumi_kilo_clustermesh==${own.version}\n`],
            go: ["go.mod", `pulumi-kilo-clustermesh/sdk/go v${own.version}\n`],
        };
        const [file, line] = versions[runtime]!;
        expect(read(name, file)).toContain(line);
    });
});

test("the account that examples/continuous runs under may do what docs/rbac.yaml says, and read the Secrets it names", () => {
    interface Role {
        readonly kind: string;
        readonly rules: readonly { readonly resourceNames?: readonly string[] }[];
    }
    const find = (file: string, kind: string): Role =>
        (parseAllDocuments(readFileSync(path.join(ROOT, file), "utf8")).map((each) => each.toJS()) as Role[]).find(
            (each) => each.kind === kind,
        )!;
    const stack = "examples/continuous/stack.yaml";
    expect(find(stack, "ClusterRole").rules).toEqual(find("docs/rbac.yaml", "ClusterRole").rules);
    const members = [...read("continuous", "index.ts").matchAll(/kubeconfigSecret\("(\w+)"\)/g)].map(
        ([, name]) => name,
    );
    expect(find(stack, "Role").rules[0]?.resourceNames).toEqual(members.map((name) => `${name}-kubeconfig`));
});
