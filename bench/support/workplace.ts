import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalCluster, type LocalClusters, nodeSpecs, startClusters } from "../../tools/clusters";
import { buildPackage, isBuilt } from "../../tools/process/build";
import { ROOT } from "../../tools/process/run-program";
import { type Toolchain, toolchain } from "../../tools/toolchain";
import { type Program, Stack } from "./stack";

/** Where everything happens: a copy of the package as it is built of these sources, the tools, and clusters that come and go. */
export interface Workplace {
    readonly tools: Toolchain;
    readonly directory: string;
    readonly package: string;
    /** Full repetitions, or the few that show that everything works. */
    readonly quick: boolean;
    readonly repetitions: number;
    /** Whether a case of a scenario is to be measured. */
    wants(name: string): boolean;
    log(line: string): void;
    stack(program: Program): Promise<Stack>;
    /** New clusters of these names; whoever starts them stops them. */
    startClusters(names: readonly string[]): Promise<LocalClusters>;
    /** Runs `work` on as many new clusters; they end with it. */
    withClusters<T>(count: number, work: (clusters: LocalClusters) => Promise<T>): Promise<T>;
    close(): Promise<void>;
}

export interface WorkplaceOptions {
    readonly quick: boolean;
    /** Default: all. */
    readonly cases?: readonly string[];
    readonly log: (line: string) => void;
}

export async function openWorkplace({ quick, cases, log }: WorkplaceOptions): Promise<Workplace> {
    const tools = await toolchain({ log });
    const directory = mkdtempSync(join(tmpdir(), "clustermesh-bench-"));
    const built = join(directory, "package");
    // A copy of its own: the one in the working tree may be rebuilt while hours of measuring go on.
    mkdirSync(built);
    cpSync(join(ROOT, "package.json"), join(built, "package.json"));
    symlinkSync(join(ROOT, "node_modules"), join(built, "node_modules"));
    if (!isBuilt() && !(await buildPackage()))
        throw new Error("the package does not compile, so there is nothing to measure");
    cpSync(join(ROOT, "dist"), join(built, "dist"), { recursive: true });
    const workplace: Workplace = {
        tools,
        directory,
        package: built,
        quick,
        repetitions: quick ? 1 : 5,
        wants: (name) => cases?.includes(name) ?? true,
        log,
        stack: (program) => Stack.create(tools, workplace, program),
        startClusters: (names) => startClusters({ names, tools }),
        async withClusters(count, work) {
            const clusters = await startClusters({ count, tools });
            try {
                return await work(clusters);
            } finally {
                await clusters.stop();
            }
        },
        close: async () => rmSync(directory, { recursive: true, force: true }),
    };
    return workplace;
}

/** Seen by Kilo for as long as measuring can take: a node that grows stale meanwhile would be a change. */
export const HEALTHY = { lastSeen: Math.floor(Date.now() / 1000) + 86_400 };

/** Brings a cluster to so many nodes; there are never fewer than before. */
export async function growTo(cluster: LocalCluster, nodes: number, before: number): Promise<void> {
    await cluster.putNodes(nodeSpecs(cluster, nodes, HEALTHY).slice(before));
}

type Member = Pick<LocalCluster, "name" | "kubeconfig" | "podCIDR" | "wireguardCIDR" | "serviceCIDR">;

export const meshOf = (clusters: readonly Member[], more: Record<string, unknown> = {}) => ({
    name: "bench",
    args: {
        clusters: clusters.map(({ name, kubeconfig, podCIDR, wireguardCIDR, serviceCIDR }) => ({
            name,
            kubeconfig,
            podCIDRs: [podCIDR],
            wireguardCIDR,
            serviceCIDR,
        })),
        // Large meshes are the point here.
        peerWarning: 1_000_000,
        ...more,
    },
});
