export interface Flag {
    readonly name: string;
    readonly short?: string;
    readonly type: "boolean" | "string";
    readonly help: string;
    /** What its value is. */
    readonly value?: string;
    readonly example?: string;
    readonly choices?: readonly string[];
}

const FILE: Flag = {
    name: "file",
    short: "f",
    type: "string",
    value: "PATH",
    example: "mesh.yaml",
    help: "the mesh file, or - for the standard input; kubeconfig paths in it are relative to it (default ./mesh.yaml)",
};
const STACK: Flag = {
    name: "stack",
    type: "string",
    value: "NAME",
    example: "prod",
    help: "instead of a file: the mesh of this Pulumi stack, with credentials and last known nodes from its state",
};
const MESH: Flag = {
    name: "mesh",
    type: "string",
    value: "NAME",
    example: "global",
    help: "which mesh of the stack, where it has several",
};
const CWD: Flag = {
    name: "cwd",
    type: "string",
    value: "DIR",
    example: "infra",
    help: "directory of the Pulumi project (default: the working directory)",
};
export const SOURCE: readonly Flag[] = [FILE, STACK, MESH, CWD];
export const QUIET: Flag = {
    name: "quiet",
    type: "string",
    value: "SECONDS",
    example: "2",
    help: "how long nothing may change before a run begins (default 1)",
};
export const QUIET_MAX: Flag = {
    name: "quiet-max",
    type: "string",
    value: "SECONDS",
    example: "20",
    help: "how long changes in a row can put it off (default 10)",
};
export const EVERY: Flag = {
    name: "every",
    type: "string",
    value: "SECONDS",
    example: "1800",
    help: "begin a run after this time in any case (default 600)",
};
export const ONCE: Flag = { name: "once", type: "boolean", help: "exit as soon as nothing differs" };
export const PULUMI_STACK: Flag = {
    name: "pulumi-stack",
    type: "string",
    value: "OBJECT",
    example: "infra/mesh",
    help: "instead of a command: ask the Pulumi Kubernetes Operator for an update of the Stack <namespace>/<name>",
};
export const IN: Flag = {
    name: "in",
    type: "string",
    value: "CLUSTER",
    example: "hub",
    help: "the member that has the Stack object; local: the cluster this runs in",
};
export const LISTEN: Flag = {
    name: "listen",
    type: "string",
    value: "ADDR:PORT",
    example: ":9464",
    help: "serve /metrics for Prometheus, /healthz and /readyz; :9464 on all interfaces (default: not)",
};
export const TIMEOUT: Flag = {
    name: "timeout",
    type: "string",
    value: "SECONDS",
    example: "5",
    help: "how long to wait for a cluster (default: requestTimeout of the file, else 10)",
};
export const COLOR: Flag = {
    name: "color",
    type: "string",
    value: "WHEN",
    example: "never",
    choices: ["always", "never", "auto"],
    help: "always, never or auto (default: auto, which is never when piped or when NO_COLOR is set)",
};
export const JSON_FLAG: Flag = { name: "json", type: "boolean", help: "print one JSON document instead of text" };
export const TARGET: Flag = {
    name: "target",
    type: "string",
    value: "CLUSTER",
    example: "hub",
    help: "only what is, or would be, in this cluster",
};
export const ALL: Flag = { name: "all", type: "boolean", help: "list every peer, not only those that need attention" };
export const FORMAT: Flag = {
    name: "format",
    type: "string",
    value: "FORMAT",
    example: "svg",
    choices: ["mermaid", "dot", "svg"],
    help: "mermaid, dot or svg (default: mermaid)",
};
export const STATUS_FORMAT: Flag = {
    name: "format",
    type: "string",
    value: "FORMAT",
    example: "prometheus",
    choices: ["text", "prometheus"],
    help: "text, or prometheus: the metrics of watch, once (default: text)",
};
export const WAIT: Flag = {
    name: "wait",
    type: "string",
    value: "SECONDS",
    example: "120",
    help: "look again until every tunnel was seen, at most this long; exit code 2 if some were not",
};
export const STRICT: Flag = { name: "strict", type: "boolean", help: "warnings count as failures for the exit code" };

export const CLAIM: Flag = {
    name: "claim",
    type: "string",
    value: "ID",
    example: "3f0c9a52d1e84b7f60c1",
    help: "peers with this label kilo-clustermesh.io/claim",
};
export const MESH_ID: Flag = {
    name: "mesh-id",
    type: "string",
    value: "ID",
    example: "9b1e5d0c7a3f4e28b6d2",
    help: "peers with this label kilo-clustermesh.io/mesh-id",
};
export const KUBECONFIG: Flag = {
    name: "kubeconfig",
    type: "string",
    value: "PATH",
    example: "~/.kube/config",
    help: "the kubeconfig with the contexts (default: KUBECONFIG, else ~/.kube/config)",
};
export const CONTEXT: Flag = {
    name: "context",
    type: "string",
    value: "NAME",
    example: "admin@hub",
    help: "a context of it that is to be in the mesh; give it once for each cluster (default: asks)",
};
export const NAME: Flag = {
    name: "name",
    type: "string",
    value: "NAME",
    example: "global",
    help: "the name of the mesh (default: mesh)",
};
export const DIRECTORY: Flag = {
    name: "directory",
    type: "string",
    value: "PATH",
    example: "infra/mesh",
    help: "where the files are written; none that is there is overwritten (default: here)",
};
export const YES: Flag = { name: "yes", type: "boolean", help: "delete what is offered without asking" };

/** Flags that stand without a command too. */
export const GLOBAL_FLAGS: readonly Flag[] = [
    { name: "help", short: "h", type: "boolean", help: "show help; after a command, help for it" },
    { name: "version", type: "boolean", help: "print the version" },
];
