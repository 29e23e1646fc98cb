import { readFileSync } from "node:fs";
import { join } from "node:path";
import type ts from "typescript";
import { z } from "zod";
import { meshSchema } from "../../provider/mesh/args/schema";
import { ROOT } from "../process/run-program";
import { documentation } from "./documentation";
import { inputProperties, type JsonSchema } from "./input-types";
import { LANGUAGES } from "./languages";
import { outputProperties } from "./output-types";
import { type NamedTypes, PACKAGE, token } from "./package-spec";
import { readSource } from "./source";

export interface SchemaSettings {
    /** Where the engine downloads the plugin from; absent: it must be installed. */
    readonly pluginDownloadURL?: string;
}

/** The package as other languages see it, from the one definition of the arguments and its documentation. */
export function makeSchema({ pluginDownloadURL }: SchemaSettings = {}): string {
    const manifest: { version: string; description: string; license: string; keywords: string[] } = JSON.parse(
        readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const source = readSource();
    const types: NamedTypes = new Map();
    const component = source.declaration("ClusterMesh") as ts.ClassDeclaration;
    const args = source.declaration("ClusterMeshArgs") as ts.InterfaceDeclaration;
    const json = z.toJSONSchema(meshSchema, { io: "input", unrepresentable: "any" }) as JsonSchema;
    // the name of the mesh is `meshName` to users, who may leave it out
    const shape = { ...json, properties: { ...json.properties, meshName: json.properties!.mesh! } };
    const { properties: inputs, required: requiredInputs } = inputProperties(source, shape, args, "ClusterMesh", types);
    const schema = {
        name: PACKAGE,
        displayName: "Kilo ClusterMesh",
        version: manifest.version,
        description: manifest.description,
        license: manifest.license,
        keywords: [...manifest.keywords, "kind/component", "category/network"],
        ...(pluginDownloadURL === undefined ? {} : { pluginDownloadURL }),
        meta: { moduleFormat: "(.*)" },
        language: LANGUAGES,
        config: {},
        provider: {},
        resources: {
            [token("ClusterMesh")]: {
                isComponent: true,
                description: withoutCode(documentation(component).description ?? ""),
                ...outputProperties(source, component, types),
                inputProperties: inputs,
                requiredInputs,
            },
        },
        types: Object.fromEntries(
            [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, spec]) => [token(name), spec]),
        ),
    };
    return `${JSON.stringify(schema, undefined, 4)}\n`;
}

/** A TypeScript program in the documentation of a Python class helps nobody. */
const withoutCode = (description: string): string => description.replace(/```[\s\S]*?```/g, "").trim();
