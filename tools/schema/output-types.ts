import ts from "typescript";
import { documentation } from "./documentation";
import { type NamedTypes, type ObjectSpec, type PropertySpec, reference, type TypeSpec } from "./package-spec";
import { type Source, unwrapped } from "./source";

/** What the component returns: the properties of the class that are Outputs. */
export function outputProperties(
    source: Source,
    declared: ts.ClassDeclaration,
    types: NamedTypes,
): Pick<ObjectSpec, "properties" | "required"> {
    const properties: Record<string, PropertySpec> = {};
    for (const member of declared.members.filter(ts.isPropertyDeclaration)) {
        const value = unwrapped(member.type, "Output");
        if (value === undefined) continue;
        const type = outputType(source, types, source.checker.getTypeFromTypeNode(value));
        properties[member.name.getText()] = { ...type, ...documentation(member) };
    }
    return { properties, required: Object.keys(properties) };
}

function outputType(source: Source, types: NamedTypes, type: ts.Type): TypeSpec {
    const { checker } = source;
    if (isText(type)) return { type: "string" };
    // all numbers that we return count something
    if (type.flags & ts.TypeFlags.NumberLike) return { type: "integer" };
    if (checker.isArrayType(type)) {
        const [item] = checker.getTypeArguments(type as ts.TypeReference);
        return { type: "array", items: outputType(source, types, item!) };
    }
    const entry = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (entry !== undefined) return { type: "object", additionalProperties: outputType(source, types, entry) };
    const name = type.symbol?.name;
    const declared = type.symbol?.declarations?.find(ts.isInterfaceDeclaration);
    if (name === undefined || declared === undefined) {
        throw new Error(`no schema for the output type ${checker.typeToString(type)}`);
    }
    if (!types.has(name))
        types.set(name, { type: "object", ...documentation(declared), ...members(source, types, declared) });
    return reference(name);
}

const isText = (type: ts.Type): boolean =>
    (type.flags & ts.TypeFlags.StringLike) !== 0 || (type.isUnion() && type.types.every(isText));

function members(
    source: Source,
    types: NamedTypes,
    declared: ts.InterfaceDeclaration,
): Pick<ObjectSpec, "properties" | "required"> {
    const signatures = declared.members.filter(ts.isPropertySignature);
    return {
        properties: Object.fromEntries(
            signatures.map((member) => [
                member.name.getText(),
                {
                    ...outputType(source, types, source.checker.getTypeFromTypeNode(member.type!)),
                    ...documentation(member),
                },
            ]),
        ),
        required: signatures
            .filter(({ questionToken }) => questionToken === undefined)
            .map(({ name }) => name.getText()),
    };
}
