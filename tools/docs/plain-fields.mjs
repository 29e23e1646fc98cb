import { Converter, ReflectionKind } from "typedoc";

/** Priority of a handler that runs once typedoc's own have set the hierarchy. */
const AFTER_TYPEDOC = -1000;

/** A plugin of typedoc: types that come from the schema are shown as their fields, not as how the compiler gets them. */
export function load({ converter }) {
    converter.on(
        Converter.EVENT_RESOLVE_END,
        ({ project }) => {
            for (const type of project.getReflectionsByKind(ReflectionKind.Interface)) {
                if (!type.extendedTypes?.some(({ name }) => name === "Plain")) continue;
                delete type.extendedTypes;
                delete type.typeHierarchy;
                type.traverse(showOnlyType);
            }
        },
        AFTER_TYPEDOC,
    );
}

function showOnlyType(field) {
    delete field.inheritedFrom;
    delete field.defaultValue;
    field.traverse(showOnlyType);
}
