import ts from "typescript";

const SAID: Readonly<Record<string, string>> = { default: "Default", defaultValue: "Default", example: "Example" };

const text = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
    (ts.getTextOfJSDocComment(comment) ?? "").trim();

/** A comment with its default and examples as sentences: the SDKs of other languages know no such tags. */
export function documentation(node: ts.Node): { readonly description?: string } {
    const blocks = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    const parts = blocks.flatMap(({ comment, tags = [] }) => [
        text(comment),
        ...[...tags].flatMap((tag) => {
            const title = SAID[tag.tagName.text];
            const said = text(tag.comment);
            if (title === undefined || said === "") return [];
            return said.includes("\n") ? `${title}:\n\n${said}` : `${title}: ${said}`;
        }),
    ]);
    const description = parts.filter((part) => part !== "").join("\n\n");
    return description === "" ? {} : { description };
}
