import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../process/run-program";

/** What `sdk/nodejs` exports, as the compiler understands it. */
export interface Source {
    readonly checker: ts.TypeChecker;
    /** The declaration of an exported class or interface, wherever it is written. */
    readonly declaration: (name: string) => ts.ClassDeclaration | ts.InterfaceDeclaration;
}

export function readSource(): Source {
    const entry = join(ROOT, "sdk/nodejs/index.ts");
    const config = ts.readConfigFile(join(ROOT, "tsconfig.build.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
    const program = ts.createProgram([entry], options);
    const checker = program.getTypeChecker();
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!);
    return {
        checker,
        declaration: (name) => {
            const found = exported.find((symbol) => symbol.name === name);
            const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
            const declared = symbol?.declarations?.find(
                (each) => ts.isClassDeclaration(each) || ts.isInterfaceDeclaration(each),
            );
            if (declared === undefined) throw new Error(`sdk/nodejs exports no class or interface ${name}`);
            return declared;
        },
    };
}

/** The type argument where the type is written as `wrapper<…>` or `pulumi.wrapper<…>`. */
export function unwrapped(node: ts.TypeNode | undefined, wrapper: "Input" | "Output"): ts.TypeNode | undefined {
    if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
    const name = ts.isQualifiedName(node.typeName) ? node.typeName.right.text : node.typeName.text;
    return name === wrapper ? node.typeArguments?.[0] : undefined;
}
