/** The parts of Pulumi's package schema that we write. */
export interface TypeSpec {
    readonly type?: "string" | "boolean" | "integer" | "number" | "array" | "object";
    readonly $ref?: string;
    readonly items?: TypeSpec;
    readonly additionalProperties?: TypeSpec;
    readonly oneOf?: readonly TypeSpec[];
    /** Given as a plain value, never as an output of another resource. */
    readonly plain?: boolean;
}

export interface PropertySpec extends TypeSpec {
    readonly description?: string;
    readonly secret?: boolean;
}

export interface ObjectSpec {
    readonly type: "object";
    readonly description?: string;
    readonly properties: Readonly<Record<string, PropertySpec>>;
    readonly required?: readonly string[];
}

export interface EnumSpec {
    readonly type: "string";
    readonly description?: string;
    readonly enum: readonly { readonly name: string; readonly value: string }[];
}

export type NamedTypes = Map<string, ObjectSpec | EnumSpec>;

export const PACKAGE = "kilo-clustermesh";

export const token = (name: string): string => `${PACKAGE}:index:${name}`;

export const reference = (name: string): TypeSpec => ({ $ref: `#/types/${token(name)}` });

/** Any value at all. */
export const ANYTHING: TypeSpec = { $ref: "pulumi.json#/Any" };
