import { readFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { parseMeshText } from "../../../cli/mesh-file";
import { MESH_METRICS, WATCH_METRICS } from "../../../cli/metrics/names";

const ROOT = path.join(__dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, "examples/continuous", file), "utf8");

interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly data?: Readonly<Record<string, string>>;
    readonly rules?: readonly { readonly resources: readonly string[]; readonly resourceNames?: readonly string[] }[];
}
const manifests = (file: string): readonly Manifest[] =>
    parseAllDocuments(read(file)).map((each) => each.toJS() as Manifest);
const find = (file: string, kind: string): Manifest => manifests(file).find((each) => each.kind === kind)!;

const METRICS: readonly { readonly name: string; readonly labels: readonly string[] }[] = [
    ...Object.values(MESH_METRICS),
    ...Object.values(WATCH_METRICS),
];
/** A histogram is asked for by its parts. */
const exported = (name: string) => METRICS.find((each) => each.name === name.replace(/_(bucket|sum|count)$/, ""));

interface Rules {
    readonly groups: readonly {
        readonly rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: object }[];
    }[];
}
interface Dashboard {
    readonly panels: readonly {
        readonly id: number;
        readonly title: string;
        readonly targets: readonly { readonly expr: string }[];
    }[];
}
const rules = (parse(read("watch/alerts.yaml")) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read("watch/dashboard.json")) as Dashboard;
const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

test.each(expressions)("the expression of %s asks for metrics and labels that are exported: %s", (_, expr) => {
    const named = [...expr.matchAll(/\b(kilo_\w+)(?:\{([^}]*)\})?/g)];
    expect(named).not.toEqual([]);
    for (const [, name = "", matchers = ""] of named) {
        const metric = exported(name);
        expect([name, metric?.name]).toEqual([name, expect.any(String)]);
        for (const [, label = ""] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
            expect(metric?.labels).toContain(label);
    }
    const labels = new Set(["le", ...named.flatMap(([, name = ""]) => exported(name)?.labels ?? [])]);
    for (const [, list = ""] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
        for (const label of list.split(",")) expect([...labels]).toContain(label.trim());
    }
    const depth = [...expr].reduce((sum, char) => sum + (char === "(" ? 1 : char === ")" ? -1 : 0), 0);
    expect(depth).toBe(0);
});

test("every metric is watched by an alert or shown on the dashboard", () => {
    const asked = expressions.flatMap(([, expr]) => [...expr.matchAll(/\bkilo_\w+/g)].map(([name]) => exported(name)));
    expect(METRICS.filter((metric) => !asked.includes(metric)).map(({ name }) => name)).toEqual([]);
});

test("alerts have names of their own, and say what it is and what to do", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(["summary", "description"]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test("the mesh file of the watcher has the members and networks of the program", () => {
    const text = find("watch/with-operator.yaml", "ConfigMap").data?.["mesh.yaml"] ?? "";
    const { mesh, clusters } = parseMeshText(text, "mesh.yaml", "/etc/mesh");
    const program = read("index.ts");
    expect(program).toContain(`new ClusterMesh("${mesh}"`);
    expect(clusters.map(({ name }) => name)).toEqual(
        [...program.matchAll(/\{ name: "(\w+)"/g)].map(([, name]) => name),
    );
    for (const [cidr] of program.matchAll(/\d+\.\d+\.\d+\.\d+\/\d+/g)) expect(text).toContain(cidr);
});

test("the watcher may read the Secrets that its mesh file names, and no other", () => {
    const text = find("watch/with-operator.yaml", "ConfigMap").data?.["mesh.yaml"] ?? "";
    const named = [...text.matchAll(/name: ([\w-]+-kubeconfig)/g)].map(([, name]) => name);
    const secrets = find("watch/with-operator.yaml", "Role").rules?.find(({ resources }) => resources[0] === "secrets");
    expect(secrets?.resourceNames).toEqual(named);
});

test("alone, the account has the rights of the one that the operator runs the program under", () => {
    for (const kind of ["ClusterRole", "Role"]) {
        expect(find("watch/alone.yaml", kind).rules).toEqual(find("stack.yaml", kind).rules);
    }
});

test("the images have this version of the package and of Pulumi", () => {
    const own = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
        version: string;
        devDependencies: Record<string, string>;
    };
    const file = read("watch/Dockerfile");
    expect(file).toContain(`pulumi-kilo-clustermesh@${own.version}`);
    expect(file).toContain(`pulumi/pulumi-nodejs:${own.devDependencies["@pulumi/pulumi"]}`);
    for (const [, names = ""] of file.matchAll(/^COPY (.*) \.\/$/gm)) {
        for (const name of names.split(" ").filter((each) => !each.includes("*"))) expect(read(name)).not.toBe("");
    }
});
