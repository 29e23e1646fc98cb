import { readFileSync } from "node:fs";
import { join } from "node:path";
import { meshSchema } from "../../../provider/mesh/args/schema";
import { ROOT } from "../../../tools/process/run-program";
import { makeSchema } from "../../../tools/schema/make-schema";

/** The compiler reads the SDK for it, beside other tests. */
jest.setTimeout(300_000);

interface Property {
    readonly type?: string;
    readonly $ref?: string;
    readonly items?: Property;
    readonly oneOf?: readonly Property[];
    readonly plain?: boolean;
    readonly secret?: boolean;
    readonly description?: string;
    readonly default?: unknown;
}
interface Named {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly enum?: readonly { readonly value: string }[];
}

const text = makeSchema();
const schema = JSON.parse(text);
const types: Readonly<Record<string, Named>> = schema.types;
const component = schema.resources["kilo-clustermesh:index:ClusterMesh"];
const inputs: Readonly<Record<string, Property>> = component.inputProperties;
const typeOf = (name: string): Readonly<Record<string, Property>> =>
    types[`kilo-clustermesh:index:${name}`]!.properties!;

test("schema.json is what `npm run schema` makes of the present arguments and comments", () => {
    expect(readFileSync(join(ROOT, "schema.json"), "utf8")).toBe(text);
});

test("every argument of a mesh is in the schema, with its documentation", () => {
    const known = Object.keys(meshSchema.shape).map((name) => (name === "mesh" ? "meshName" : name));
    expect(Object.keys(inputs).sort()).toEqual(known.sort());
    const all = [inputs, typeOf("Cluster"), typeOf("KubeconfigSecret"), typeOf("Topology")].flatMap(Object.entries);
    expect(all.filter(([, { description = "" }]) => description.length < 10)).toEqual([]);
});

test("what names resources or decides an order is plain, what may come late is not", () => {
    const plain = (bag: Readonly<Record<string, Property>>): string[] =>
        Object.keys(bag).filter((name) => bag[name]?.plain === true);
    expect(plain(inputs)).toEqual(["clusters", "meshName", "topology", "grouped"]);
    expect(plain(typeOf("Cluster"))).toEqual(["name"]);
    expect(plain(typeOf("KubeconfigSecret"))).toEqual(["cluster"]);
    expect(plain(typeOf("Topology"))).toEqual(["hubs", "links"]);
});

test("clusters are a list of a named type, whose items are not plain", () => {
    expect(inputs.clusters).toMatchObject({ type: "array", items: { $ref: "#/types/kilo-clustermesh:index:Cluster" } });
    expect(inputs.clusters?.items?.plain).toBeUndefined();
});

test("kubeconfigs are secrets", () => {
    expect(typeOf("Cluster").kubeconfig?.secret).toBe(true);
});

test("what one of a few words may be is an enum", () => {
    const words = (name: string): unknown => types[`kilo-clustermesh:index:${name}`]?.enum?.map(({ value }) => value);
    expect(words("OnUnreachable")).toEqual(["skip", "fail"]);
    expect(words("OnUnusable")).toEqual(["fail", "warn"]);
});

test("defaults are told in words only: a generated SDK would send them as given", () => {
    expect(text).not.toContain('"default":');
});

test("every reference leads to a type of the schema", () => {
    const named = [...text.matchAll(/"\$ref": "#\/types\/([^"]+)"/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => types[name] === undefined)).toEqual([]);
});

test("where the engine may download the plugin from is a setting of the build", () => {
    expect(schema.pluginDownloadURL).toBeUndefined();
    const { pluginDownloadURL } = JSON.parse(makeSchema({ pluginDownloadURL: "https://downloads.example.com" }));
    expect(pluginDownloadURL).toBe("https://downloads.example.com");
});
