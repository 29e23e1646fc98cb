import {
    ALL,
    CLAIM,
    COLOR,
    CONTEXT,
    DIRECTORY,
    EVERY,
    type Flag,
    FORMAT,
    GLOBAL_FLAGS,
    IN,
    JSON_FLAG,
    KUBECONFIG,
    LISTEN,
    MESH_ID,
    NAME,
    ONCE,
    PULUMI_STACK,
    QUIET,
    QUIET_MAX,
    SOURCE,
    STATUS_FORMAT,
    STRICT,
    TARGET,
    TIMEOUT,
    WAIT,
    YES,
} from "./flags";

export type CommandName = "plan" | "graph" | "status" | "doctor" | "trace" | "sweep" | "init" | "watch" | "plugin";

export interface Command {
    readonly name: CommandName;
    readonly summary: string;
    readonly about: readonly string[];
    readonly flags: readonly Flag[];
    /** What it takes besides flags. */
    readonly operands?: readonly string[];
    /** It takes a command after `--`: for instance this one. */
    readonly command?: string;
    readonly examples: readonly (readonly [string, string])[];
    /** What the exit code 2 means here. */
    readonly degraded?: string;
}

export const DEFAULT_FILE = "mesh.yaml";

export const COMMANDS: readonly Command[] = [
    {
        name: "plan",
        summary: "what a mesh would create, change and delete; writes nothing",
        about: [
            "Reads every cluster of the mesh file and compares the peers a mesh would have with those that are there.",
            "Peers count as the mesh's own by their labels. Nothing is ever written.",
        ],
        flags: [...SOURCE, TARGET, ALL, JSON_FLAG, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh plan", "the mesh of ./mesh.yaml"],
            ["kilo-clustermesh plan -f prod/mesh.yaml --target hub", "only what would change in hub"],
            ["kilo-clustermesh plan --json | jq '.targets[].peers[] | select(.action == \"delete\")'", "for scripts"],
        ],
        degraded: "a cluster is silent or unusable, or a node is left out, so the plan is not the whole mesh",
    },
    {
        name: "graph",
        summary: "a picture of the mesh: Mermaid, DOT or SVG",
        about: [
            "Draws the planned mesh: clusters, the links between them, and how many peers each link takes.",
            "It marks clusters that are silent or unusable, and links whose peers are missing or changed.",
        ],
        flags: [...SOURCE, FORMAT, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh graph > mesh.mmd", "Mermaid text, for a Markdown page"],
            ["kilo-clustermesh graph --format svg > mesh.svg", "a picture that needs nothing else"],
            ["kilo-clustermesh graph --format dot | dot -Tpng > mesh.png", "drawn by Graphviz"],
        ],
    },
    {
        name: "status",
        summary: "per link: peers expected, present, drifted, missing; tunnels seen",
        about: [
            "Compares, for every link, the peers in the target with those that should be there, and counts its tunnels:",
            "each node of the target that has tunnels, with each peer. Seen means that the node had a handshake since Kilo",
            "last reconfigured WireGuard there. It does not prove that a tunnel works now; and right after a change, or",
            "without traffic, not seen does not prove that it is broken.",
        ],
        flags: [...SOURCE, TARGET, ALL, WAIT, STATUS_FORMAT, JSON_FLAG, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh status", "the mesh of ./mesh.yaml"],
            ["kilo-clustermesh status --json | jq '.links[] | select(.state != \"healthy\")'", "for scripts"],
            ["kilo-clustermesh status --timeout 3 > /dev/null || alert", "as a health check"],
            ["kilo-clustermesh status --wait 120", "after pulumi up: until every tunnel had a handshake"],
            ["kilo-clustermesh status --format prometheus > mesh.prom", "for a textfile collector"],
        ],
        degraded:
            "drifted, missing, extra or kept peers, a node left out, an error, or a cluster that is silent or unusable (with --wait: or a tunnel not seen, or a node stale)",
    },
    {
        name: "doctor",
        summary: "checks every member and says what to run next",
        about: [
            "Checks each cluster: does it answer, may the account do what a mesh needs, is Kilo there, are keys, ranges,",
            "endpoints and existing peers usable. Each finding says why it matters and which command to run next.",
        ],
        flags: [...SOURCE, STRICT, JSON_FLAG, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh doctor", "the mesh of ./mesh.yaml"],
            ["kilo-clustermesh doctor --strict", "in CI: warnings fail too"],
            ["kilo-clustermesh doctor --json | jq '.findings[] | .next'", "only the commands to run"],
        ],
        degraded: "at least one error was found (with --strict: error or warning)",
    },
    {
        name: "trace",
        summary: "follows a packet from one cluster to another, and its answer",
        about: [
            "Says hop by hop what becomes of a packet and of its answer: leader, peer, endpoint, networks, and who saw a",
            "handshake; the first thing that breaks it, and what to run next. It reads objects and sends no packet.",
        ],
        flags: [...SOURCE, JSON_FLAG, TIMEOUT, COLOR],
        operands: ["<cluster>/<pod IP or node>", "<cluster>/<pod IP or node>"],
        examples: [
            ["kilo-clustermesh trace hub/hub-n1 berlin/berlin-n2", "between some pods of two nodes"],
            ["kilo-clustermesh trace hub/10.16.1.7 berlin/10.17.2.9", "between two pods"],
            ["kilo-clustermesh trace hub/hub-n1 berlin/172.16.16.10", "to a service"],
        ],
        degraded: "the packet or its answer does not get there, or a cluster is silent or unusable",
    },
    {
        name: "init",
        summary: "writes a program and a mesh file for the clusters of a kubeconfig",
        about: [
            "Reads the clusters of some contexts and writes Pulumi.yaml, package.json, tsconfig.json, index.ts and mesh.yaml",
            "with the networks that it found; what it is not sure of is left as a comment that says why. The files name the",
            "kubeconfig and the contexts and hold no credentials. Nothing is written to a cluster.",
        ],
        flags: [KUBECONFIG, CONTEXT, NAME, DIRECTORY, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh init", "asks which contexts of the default kubeconfig"],
            ["kilo-clustermesh init --context admin@hub --context admin@edge --directory mesh", "without questions"],
        ],
        degraded: "a cluster could not be read; nothing was written",
    },
    {
        name: "sweep",
        summary: "deletes peers that a mesh left behind, after asking",
        about: [
            "Offers only peers that provably are of the mesh that is named, by its random id or the claim of a member, and",
            "that its state does not list. Shows all other peers with why it leaves them alone. Lists, asks, deletes by uid.",
            "Without a terminal it lists only, unless --yes is given. With --stack everything comes from the state; where that",
            "is lost, --claim or --mesh-id names the mesh, and the mesh file says how to reach the clusters.",
        ],
        flags: [...SOURCE, CLAIM, MESH_ID, YES, ALL, JSON_FLAG, TIMEOUT, COLOR],
        examples: [
            ["kilo-clustermesh sweep --stack prod", "what the state of a stack does not list"],
            ["kilo-clustermesh sweep --claim 3f0c9a52d1e84b7f60c1", "what a member of a lost stack left behind"],
            ["kilo-clustermesh sweep --mesh-id 9b1e5d0c7a3f4e28b6d2", "what all members of a lost stack left behind"],
            ["kubectl get peers -L kilo-clustermesh.io/claim,kilo-clustermesh.io/mesh-id", "where these ids stand"],
        ],
        degraded:
            "peers are left over (listed only, declined, held by finalizers, or failed), or a cluster is silent or unusable",
    },
    {
        name: "watch",
        summary: "follows nodes and peers, and starts a run when the mesh differs from its plan",
        about: [
            "Watches the nodes and peers of every member. When the plan differs from what is there it starts one run: the",
            "command after --, or an update by the Pulumi Kubernetes Operator. A heartbeat is no change; a node that becomes",
            "stale is. What changes during a run is taken in by the next. SIGTERM ends it: a run under way is asked once to",
            "finish, and waited for. It writes nothing to a cluster itself but that request to the operator.",
        ],
        flags: [...SOURCE, QUIET, QUIET_MAX, EVERY, ONCE, PULUMI_STACK, IN, LISTEN, TIMEOUT],
        command: "pulumi up --yes --skip-preview",
        examples: [
            [
                "kilo-clustermesh watch --stack prod -- pulumi up --stack prod --yes --skip-preview",
                "beside the program",
            ],
            ["kilo-clustermesh watch -f mesh.yaml --pulumi-stack infra/mesh --in hub", "with the operator"],
            ["kilo-clustermesh watch --stack prod --once -- pulumi up --stack prod --yes --skip-preview", "in a job"],
        ],
        degraded: "with --once: a member is silent or unusable, or three runs in a row failed",
    },
    {
        name: "plugin",
        summary: "installs the Pulumi plugin that programs in Python, Go and YAML need",
        about: [
            "Copies the plugin out of this npm package into the plugins of the Pulumi CLI ($PULUMI_HOME, else ~/.pulumi).",
            "It needs no network and contacts no cluster. Programs in TypeScript and JavaScript need no plugin.",
        ],
        flags: [],
        operands: ["install"],
        examples: [["kilo-clustermesh plugin install", "on every machine that runs pulumi for such a program"]],
    },
];

/** All flags of a command; without one, all there are. */
export function flagsOf(command: CommandName | undefined): readonly Flag[] {
    const own = COMMANDS.filter(({ name }) => command === undefined || name === command).flatMap(({ flags }) => flags);
    return [...new Map([...own, ...GLOBAL_FLAGS].map((flag) => [flag.name, flag])).values()];
}
