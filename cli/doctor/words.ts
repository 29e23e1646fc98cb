const SHOWN = 5;

/** The first few by name, and how many more. */
export function few(named: readonly { readonly name: string }[]): string {
    const names = named.slice(0, SHOWN).map(({ name }) => name);
    return `${names.join(", ")}${named.length > SHOWN ? ` and ${named.length - SHOWN} more` : ""}`;
}
