import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { LocalCluster } from "../../../tools/clusters";
import type { Toolchain } from "../../../tools/toolchain";
import { type FaultProxy, type LoggedRequest, startFaultProxy } from "../../support/fault-proxy";
import { isRunning, killAll, processTree } from "../../support/processes";
import type { MeshHost, Outcome, Project, ProjectOptions, Running } from "./project";
import { until } from "./until";
import { meshOf, startWorld, type World } from "./world";

/** A project that reaches real API servers through fault proxies, and ways to interrupt it. */
export interface Interruptible {
    readonly world: World;
    readonly project: Project;
    readonly proxies: ReadonlyMap<string, FaultProxy>;
    /** Peers that have a claim, as `cluster/name`, sorted. */
    ours(): Promise<string[]>;
    /** Lets `writes` writes of the command through, holds all others back until its senders are gone, and calls `then`. */
    interruptAfter(
        writes: number,
        command: readonly string[],
        then: (running: Running) => void | Promise<void>,
    ): Promise<Outcome>;
    /** What a user runs after the engine was killed: docs/errors.md, "the stack is currently locked". */
    unlock(): Promise<void>;
    /** Without faults; throws what was printed when it fails. */
    succeed(...command: string[]): Promise<Outcome>;
    /** The end of all faults. */
    calm(): void;
    close(): Promise<void>;
}

export const TIMEOUT_SECONDS = 5;
export const UP = ["up", "--yes", "--skip-preview", "--stack", "test"] as const;
export const DESTROY = ["destroy", "--yes", "--skip-preview", "--stack", "test"] as const;

/** What the mesh of `withMesh` comes to. */
export const PEERS: readonly string[] = [
    "berlin/edge--hub--hub-n1",
    "berlin/edge--hub--hub-n2",
    "hub/edge--berlin--berlin-n1",
    "hub/edge--berlin--berlin-n2",
];

/**
 * Two clusters of two nodes for the tests of a file. `begin` gets them before each test with a new stack, new proxies and
 * nothing but their nodes: what another test left, a lock or a process that still writes, reaches none of it.
 */
export function withMesh(begin: (mesh: Interruptible) => void | Promise<void>, host: MeshHost = "dynamic"): void {
    withStack(withTwoClusters(), begin, () => ({ host }));
}

/** The clusters alone, for several kinds of stacks; what it returns is there when tests run. */
export function withTwoClusters(getTools?: () => Promise<Toolchain>): () => World {
    let world: World | undefined;
    beforeAll(async () => {
        world = await startWorld(["hub", "berlin"], 2, getTools);
    });
    afterAll(async () => {
        await world?.stop();
    });
    return () => world!;
}

/** Before each test of this block a new stack on them. */
export function withStack(
    world: () => World,
    begin: (mesh: Interruptible) => void | Promise<void>,
    options: () => ProjectOptions,
): void {
    let mesh: Interruptible | undefined;
    beforeEach(async () => {
        await world().reset();
        mesh = await interruptible(world(), options());
        await begin(mesh);
    });
    afterEach(async () => {
        await mesh?.close();
    });
}

async function interruptible(world: World, options: ProjectOptions): Promise<Interruptible> {
    const proxies = new Map<string, FaultProxy>();
    for (const cluster of world.clusters.clusters) {
        proxies.set(cluster.name, await startFaultProxy({ kubeconfig: cluster.kubeconfig, record: true }));
    }
    const project = await world.project(options);
    await project.write(through(world.clusters.clusters, proxies));
    const calm = (): void => {
        for (const proxy of proxies.values()) proxy.clear();
    };
    return {
        world,
        project,
        proxies,
        async ours() {
            const all: string[] = [];
            for (const cluster of world.clusters.clusters) {
                for (const { metadata } of await cluster.listPeers()) {
                    const isOurs = metadata.labels?.["kilo-clustermesh.io/claim"] !== undefined;
                    if (isOurs) all.push(`${cluster.name}/${metadata.name}`);
                }
            }
            return all.sort();
        },
        interruptAfter: (writes, command, then) =>
            project.watched(command, async () => {
                const reached = holdAfter([...proxies.values()], writes);
                const running = project.start(command);
                const ended = await Promise.race([reached.then(() => undefined), running.done]);
                if (ended !== undefined) throw new Error(`it ended before write ${writes}: ${ended.text}`);
                await then(running);
                const outcome = await running.done;
                // What the killed had sent may still be unread: without the rules it would pass.
                await Promise.all([...proxies.values()].map((proxy) => proxy.abandoned()));
                calm();
                return outcome;
            }),
        async unlock() {
            await removeEmptySidecars(path.join(project.dir, ".pulumi"));
            await succeed(project, ["cancel", "--yes", "test"]);
        },
        succeed: (...command) => succeed(project, command),
        calm,
        async close() {
            for (const proxy of proxies.values()) await proxy.close();
            await project.remove();
        },
    };
}

async function succeed(project: Project, command: readonly string[]): Promise<Outcome> {
    const outcome = await project.run(command);
    if (outcome.code !== 0) throw new Error(outcome.text);
    return outcome;
}

/** An engine that dies while it writes the state can leave these behind; docs/errors.md, "failed to load checkpoint". */
async function removeEmptySidecars(directory: string): Promise<void> {
    for (const entry of await readdir(directory, { recursive: true })) {
        const file = path.join(directory, entry);
        if (file.endsWith(".attrs") && (await stat(file)).size === 0) await rm(file);
    }
}

/** The mesh of these clusters, each reached through its proxy. */
export const through = (clusters: readonly LocalCluster[], proxies: ReadonlyMap<string, FaultProxy>) =>
    meshOf(
        "edge",
        clusters.map((cluster) => ({
            name: cluster.name,
            podCIDR: cluster.podCIDR,
            wireguardCIDR: cluster.wireguardCIDR,
            serviceCIDR: cluster.serviceCIDR,
            kubeconfig: proxies.get(cluster.name)!.kubeconfig,
        })),
        { requestTimeout: TIMEOUT_SECONDS },
    );

/** Resolves when the given number of writes was done, or, for 0, when the first one waits. */
function holdAfter(proxies: readonly FaultProxy[], writes: number): Promise<void> {
    return new Promise((resolve) => {
        let seen = 0;
        const isOver = ({ write }: LoggedRequest): boolean => {
            if (!write) return false;
            seen += 1;
            // The answer of the last one is on its way: whoever is killed now has done it and does not know.
            if (seen === Math.max(writes, 1)) setImmediate(resolve);
            return seen > writes;
        };
        for (const proxy of proxies) {
            proxy.inject({ fault: { kind: "hang" }, when: isOver });
            proxy.inject({ fault: { kind: "drop" }, when: ({ write }) => write });
        }
    });
}

/** Kills the command with everything it has started. */
export async function killTree({ pid }: Running): Promise<void> {
    killAll(processTree(pid).map((each) => each.pid));
}

/** Kills only the process in which our provider runs. */
export async function killProvider({ pid }: Running): Promise<void> {
    killAll(providersOf(pid));
}

export const providersOf = (pid: number): number[] =>
    processTree(pid)
        .filter(({ command }) => /^\S*node\S* .*(dynamic-provider|kilo-clustermesh-v\S+plugin\.js)/.test(command))
        .map((each) => each.pid);

/** Those of them that have not ended by themselves within the time. */
export const remaining = (pids: readonly number[], seconds: number): Promise<number[]> =>
    until(
        async () => pids.filter(isRunning),
        (left) => left.length === 0,
        seconds,
    );
