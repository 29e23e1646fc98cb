import ts from "typescript";
import { documentation } from "./documentation";
import {
    ANYTHING,
    type NamedTypes,
    type ObjectSpec,
    type PropertySpec,
    reference,
    type TypeSpec,
} from "./package-spec";
import { type Source, unwrapped } from "./source";

/** As much of JSON Schema as zod writes for our arguments. */
export interface JsonSchema {
    readonly type?: string;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: JsonSchema | boolean;
    readonly items?: JsonSchema;
    readonly enum?: readonly string[];
    readonly anyOf?: readonly JsonSchema[];
}

/** Never in plain text, whatever program passes them on. */
const SECRETS: ReadonlySet<string> = new Set(["kubeconfig"]);

/** The properties of one interface: shapes and ranges from zod, documentation and what may come late from TypeScript. */
export function inputProperties(
    source: Source,
    schema: JsonSchema,
    declared: ts.InterfaceDeclaration | ts.TypeLiteralNode,
    parent: string,
    types: NamedTypes,
): Pick<ObjectSpec, "properties" | "required"> {
    const properties: Record<string, PropertySpec> = {};
    const required: string[] = [];
    for (const member of declared.members.filter(ts.isPropertySignature)) {
        const name = member.name.getText();
        const shape = schema.properties?.[name];
        if (shape === undefined) throw new Error(`${parent}.${name} has no place in provider/mesh/args/schema.ts`);
        const late = unwrapped(member.type, "Input");
        const context: Context = { source, types, parent, name };
        const type = inputType(context, shape, source.checker.getTypeFromTypeNode(late ?? member.type!));
        properties[name] = {
            ...type,
            ...documentation(member),
            ...(late === undefined && isPlainable(type, types) ? { plain: true } : {}),
            ...(SECRETS.has(name) ? { secret: true } : {}),
        };
        if (member.questionToken === undefined) required.push(name);
    }
    return { properties, ...(required.length === 0 ? {} : { required }) };
}

interface Context {
    readonly source: Source;
    readonly types: NamedTypes;
    readonly parent: string;
    readonly name: string;
}

/** A nested object is plain where all of it is: a plain one with a part that may come late does not compile in Go. */
function isPlainable({ $ref }: TypeSpec, types: NamedTypes): boolean {
    const nested = [...types].find(([name]) => reference(name).$ref === $ref)?.[1];
    if (nested === undefined || !("properties" in nested)) return true;
    return Object.values(nested.properties).every(({ plain }) => plain === true);
}

function inputType(context: Context, given: JsonSchema, written: ts.Type): TypeSpec {
    const schema = arrayFormOf(given);
    if (schema.enum !== undefined) return enumType(context, schema.enum);
    if (schema.type === "array")
        return { type: "array", items: inputType(context, schema.items!, itemOf(context, written)) };
    if (schema.properties !== undefined) return objectType(context, schema, written);
    if (schema.type === "object") return { type: "object", additionalProperties: { type: "string" } };
    if (schema.type === "string" || schema.type === "boolean") return { type: schema.type };
    if (schema.type === "integer" || schema.type === "number") return { type: schema.type };
    // text, or the object that a cloud's SDK returns
    return { oneOf: [{ type: "string" }, { type: "object", additionalProperties: ANYTHING }] };
}

/** Where a list or a map is accepted, other languages have the list. */
const arrayFormOf = (schema: JsonSchema): JsonSchema => schema.anyOf?.find(({ type }) => type === "array") ?? schema;

function itemOf({ source: { checker }, parent, name }: Context, written: ts.Type): ts.Type {
    const candidates = written.isUnion() ? written.types : [written];
    const list = candidates.find((each) => checker.isArrayType(each));
    if (list === undefined) throw new Error(`${parent}.${name} is a list in the schema and none in TypeScript`);
    return checker.getTypeArguments(list as ts.TypeReference)[0]!;
}

function objectType(context: Context, schema: JsonSchema, written: ts.Type): TypeSpec {
    const { source, types, parent, name: property } = context;
    const declared = written.symbol?.declarations?.find(
        (each) => ts.isInterfaceDeclaration(each) || ts.isTypeLiteralNode(each),
    );
    if (declared === undefined) throw new Error(`${parent}.${property}: nothing declares its type`);
    const name = ts.isInterfaceDeclaration(declared)
        ? declared.name.text.replace(/Args$/, "")
        : `${parent}${capital(property).replace(/s$/, "")}`;
    if (!types.has(name)) {
        types.set(name, {
            type: "object",
            ...(ts.isInterfaceDeclaration(declared) ? documentation(declared) : {}),
            ...inputProperties(source, schema, declared as ts.InterfaceDeclaration, name, types),
        });
    }
    return reference(name);
}

function enumType({ types, name: property }: Context, values: readonly string[]): TypeSpec {
    const name = capital(property);
    types.set(name, { type: "string", enum: values.map((value) => ({ name: capital(value), value })) });
    return reference(name);
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
