/** The words that a fix may start with. */
type Verb =
    | "Add"
    | "Allow"
    | "Annotate"
    | "Apply"
    | "Ask"
    | "Bind"
    | "Check"
    | "Choose"
    | "Compare"
    | "Correct"
    | "Decode"
    | "Did"
    | "Do"
    | "Export"
    | "Find"
    | "Fix"
    | "Give"
    | "Grant"
    | "Install"
    | "Join"
    | "Keep"
    | "Leave"
    | "Let"
    | "Link"
    | "List"
    | "Log"
    | "Name"
    | "Pass"
    | "Remove"
    | "Rename"
    | "Renew"
    | "Replace"
    | "Restore"
    | "Run"
    | "Set"
    | "Start"
    | "Store"
    | "Update"
    | "Use"
    | "Wait"
    | "Write";

/**
 * What to do next, as a person reads it at night: it starts with a capital and a verb, and the compiler holds every fix to
 * that. It has no full stop at its end; what prints it adds one where more follows.
 */
export type Fix = `${Verb} ${string}`;
