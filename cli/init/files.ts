import { stringify } from "yaml";
import type { DraftCluster } from "./draft";

export interface ProjectFile {
    readonly name: string;
    readonly text: string;
}

export interface Project {
    readonly mesh: string;
    readonly clusters: readonly DraftCluster[];
    /** Of this package, and of the SDK that it accepts. */
    readonly dependencies: Readonly<Record<string, string>>;
}

export const FILE_NAMES = ["Pulumi.yaml", "package.json", "tsconfig.json", "index.ts", "mesh.yaml"] as const;

/** A complete project. The files name kubeconfig and context of each cluster, and hold nothing secret. */
export function projectFiles({ mesh, clusters, dependencies }: Project): readonly ProjectFile[] {
    const texts: Readonly<Record<(typeof FILE_NAMES)[number], string>> = {
        "Pulumi.yaml": stringify({ name: mesh, runtime: "nodejs", description: "Kubernetes clusters meshed by Kilo" }),
        "package.json": json({
            name: mesh,
            private: true,
            main: "index.ts",
            dependencies,
            devDependencies: { "@types/node": "^20.0.0", typescript: "^5.9.0" },
        }),
        "tsconfig.json": json({
            compilerOptions: {
                strict: true,
                target: "ES2022",
                module: "Node16",
                moduleResolution: "Node16",
                skipLibCheck: true,
                types: ["node"],
                outDir: "bin",
            },
            files: ["index.ts"],
        }),
        "index.ts": program(mesh, clusters),
        "mesh.yaml": meshFile(mesh, clusters),
    };
    return FILE_NAMES.map((name) => ({ name, text: texts[name] }));
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 4)}\n`;

function program(mesh: string, clusters: readonly DraftCluster[]): string {
    return [
        'import { ClusterMesh } from "pulumi-kilo-clustermesh";',
        "",
        `const mesh = new ClusterMesh(${JSON.stringify(mesh)}, {`,
        "    clusters: [",
        ...clusters.flatMap((cluster) => [
            ...cluster.notes.map((note) => `        // ${note}`),
            "        {",
            ...fields(cluster).map(([name, value]) => `            ${name}: ${list(value)},`),
            "        },",
        ]),
        "    ],",
        "});",
        "",
        "export const peers = mesh.peers;",
        "export const issues = mesh.issues;",
        "",
    ].join("\n");
}

function meshFile(mesh: string, clusters: readonly DraftCluster[]): string {
    return [
        "# The clusters of index.ts, for the command kilo-clustermesh. Change both together.",
        `mesh: ${JSON.stringify(mesh)}`,
        "clusters:",
        ...clusters.flatMap((cluster) => [
            ...cluster.notes.map((note) => `    # ${note}`),
            ...fields(cluster).map(([name, value], at) => `    ${at === 0 ? "-" : " "} ${name}: ${list(value)}`),
        ]),
        "",
    ].join("\n");
}

const fields = (cluster: DraftCluster): readonly (readonly [string, string | readonly string[]])[] =>
    (["name", "kubeconfig", "context", "podCIDRs", "serviceCIDR", "wireguardCIDR"] as const).flatMap((name) => {
        const value = cluster[name];
        return value === undefined ? [] : [[name, value] as const];
    });

/** The same in TypeScript and in YAML. */
const list = (value: string | readonly string[]): string =>
    typeof value === "string" ? JSON.stringify(value) : `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
