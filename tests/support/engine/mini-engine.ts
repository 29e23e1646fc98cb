import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../provider/kube/http/clock";
import type { ClusterSpec, Topology } from "../../../provider/mesh/types";
import type { Host, PartialFailure, Props, ResourceKind } from "../../../provider/resources/host";
import { member } from "../../../provider/resources/member";
import { peerSet } from "../../../provider/resources/peer-set";
import { look, type Sight } from "../../../sdk/nodejs/observation";
import { type MeshPlan, planKnown } from "../../../sdk/nodejs/plan-run";

/** What a user's program says: one mesh. */
export interface Program {
    readonly mesh: string;
    readonly clusters: readonly ClusterSpec[];
    readonly topology?: Topology;
    readonly adopt?: boolean;
    readonly requestTimeout: number;
}

/** One resource as the state of a stack holds it. */
export interface Recorded {
    readonly kind: "member" | "peers";
    readonly id: string;
    readonly inputs: Props;
    readonly outputs: Props;
    /** A partial failure: the next run updates it, whatever `diff` says. */
    readonly initErrors?: readonly string[];
}

export interface Run {
    /** Empty when the run succeeded. */
    readonly failures: readonly string[];
    /** Operations that changed something, as `create hub/peers`. */
    readonly changes: readonly string[];
    readonly plan?: MeshPlan;
}

const KINDS: Readonly<Record<Recorded["kind"], ResourceKind>> = { member, peers: peerSet };

/** The process that runs the program was killed: nothing that it learns from here on reaches the state. */
export class Crash extends Error {}

/**
 * Runs the program and our resources as the Pulumi engine does, in this process: check, diff, then create, update or
 * same; deletes last and only after success; state written after every step; partial failures keep their properties.
 * What it promises about the engine is proved by the same scenarios on the real one (tests/e2e).
 */
export class MiniEngine {
    readonly state = new Map<string, Recorded>();
    crashed = false;

    constructor(
        private readonly host: Host,
        private readonly clock: Clock,
        readonly owner = "organization/project/stack/mesh",
        /** Of the observation; the resources have theirs from the host. */
        private readonly timeout: (wanted: number) => number = (wanted) => wanted,
    ) {}

    async up(program: Program): Promise<Run> {
        return this.#run(async (run) => {
            const sight = await look(program.clusters, this.timeout(program.requestTimeout), { clock: this.clock });
            this.#alive();
            if (sight.refusals.length > 0) throw new Error(sight.refusals.join("; "));
            await Promise.all(
                program.clusters.map((cluster) => this.#apply(run, memberOf(program, cluster), sight, program)),
            );
            const plan = this.#plan(program, sight);
            run.plan = plan;
            await Promise.all(
                program.clusters.map(({ name }) =>
                    this.#step(run, `${name}/peers`, "peers", () => this.#peers(program, name, plan)),
                ),
            );
            if (run.failures.length > 0) return;
            const kept = new Set(program.clusters.flatMap(({ name }) => [name, `${name}/peers`]));
            await this.#delete(run, (name) => !kept.has(name));
        });
    }

    /** As `pulumi refresh`: from state alone. */
    async refresh(): Promise<Run> {
        return this.#run(async (run) => {
            await Promise.all(
                [...this.state].map(async ([name, old]) => {
                    try {
                        const { id, props, inputs } = await KINDS[old.kind].read(this.host, old.id, copy(old.outputs));
                        this.#alive();
                        if (!isDeepStrictEqual(props, old.outputs)) run.changes.push(`refresh ${name}`);
                        this.#record(name, { kind: old.kind, id, inputs: inputs ?? old.inputs, outputs: props });
                    } catch (error) {
                        run.failures.push(`${name}: ${textOf(error)}`);
                    }
                }),
            );
        });
    }

    /** As `pulumi destroy`: from state alone. */
    async destroy(): Promise<Run> {
        return this.#run((run) => this.#delete(run, () => true));
    }

    /** The claim of every member, by cluster. */
    claims(): Record<string, string> {
        const members = [...this.state].filter(([, { kind }]) => kind === "member");
        return Object.fromEntries(members.map(([name, { outputs }]) => [name, String(outputs.claim)]));
    }

    async #run(work: (run: MutableRun) => Promise<void>): Promise<Run> {
        const run: MutableRun = { failures: [], changes: [] };
        this.crashed = false;
        await work(run).catch((error: unknown) => run.failures.push(textOf(error)));
        if (this.crashed) run.failures.push("killed");
        return run;
    }

    async #apply(run: MutableRun, wanted: Props, sight: Sight, { clusters }: Program): Promise<void> {
        const name = String(wanted.cluster);
        const seen = sight.clusters[name];
        const cluster = clusters.find((each) => each.name === name);
        await this.#step(run, name, "member", () => ({
            ...wanted,
            allowEmpty: cluster?.allowEmpty ?? false,
            ...(seen?.reachable === false ? { unreachable: seen.reason } : { nodes: { ...seen?.nodes } }),
        }));
    }

    #plan({ mesh, clusters, topology, adopt }: Program, sight: Sight): MeshPlan {
        return planKnown({
            mesh,
            owner: this.owner,
            clusters,
            topology,
            settings: adopt === undefined ? {} : { adopt },
            specs: clusters,
            members: clusters.map(({ name }) => this.state.get(name)?.outputs ?? {}),
            sight,
        });
    }

    #peers(program: Program, name: string, plan: MeshPlan): Props {
        const cluster = program.clusters.find((each) => each.name === name)!;
        return {
            ...memberOf(program, cluster),
            resource: "peers",
            claim: this.state.get(name)?.outputs.claim,
            owner: this.owner,
            ...plan.targets[name],
        };
    }

    async #step(run: MutableRun, name: string, kind: Recorded["kind"], wanted: () => Props): Promise<void> {
        const old = this.state.get(name);
        const resource = KINDS[kind];
        const { inputs } = resource.check(this.host, copy(old?.inputs ?? {}), copy(wanted()));
        try {
            if (old === undefined) {
                run.changes.push(`create ${name}`);
                const { id, outs } = await resource.create(this.host, copy(inputs));
                this.#alive();
                this.#record(name, { kind, id, inputs, outputs: outs });
            } else if (old.initErrors === undefined && !resource.diff(copy(old.outputs), copy(inputs)).changes) {
                this.#record(name, { ...old, inputs });
            } else {
                run.changes.push(`update ${name}`);
                const { outs } = await resource.update(this.host, old.id, copy(old.outputs), copy(inputs));
                this.#alive();
                this.#record(name, { kind, id: old.id, inputs, outputs: outs });
            }
        } catch (error) {
            run.failures.push(`${name}: ${textOf(error)}`);
            const { id, properties, reasons } = error as Partial<PartialFailure>;
            if (this.crashed || id === undefined || properties === undefined || reasons === undefined) return;
            // The engine keeps the inputs it sent and the properties it was told.
            this.#record(name, { kind, id, inputs, outputs: properties, initErrors: reasons });
        }
    }

    /** Peer sets are children of their members: they go first. */
    async #delete(run: MutableRun, condemned: (name: string) => boolean): Promise<void> {
        for (const kind of ["peers", "member"] as const) {
            const doomed = [...this.state].filter(([name, old]) => old.kind === kind && condemned(name));
            await Promise.all(
                doomed.map(async ([name, old]) => {
                    const waits = kind === "member" && this.state.has(`${name}/peers`);
                    if (waits) return;
                    try {
                        run.changes.push(`delete ${name}`);
                        await KINDS[kind].delete(this.host, old.id, copy(old.outputs));
                        this.#alive();
                        this.state.delete(name);
                    } catch (error) {
                        run.failures.push(`${name}: ${textOf(error)}`);
                    }
                }),
            );
        }
    }

    #record(name: string, recorded: Recorded): void {
        requireCarriable(recorded.outputs, name);
        this.state.set(name, copy(recorded));
    }

    #alive(): void {
        if (this.crashed) throw new Crash("killed");
    }
}

type MutableRun = { failures: string[]; changes: string[]; plan?: MeshPlan };

const memberOf = ({ mesh, requestTimeout }: Program, { name, kubeconfig }: ClusterSpec): Props => ({
    resource: "member",
    schemaVersion: 1,
    mesh,
    cluster: name,
    kubeconfig,
    requestTimeout,
    deleteUnreachable: false,
    resourceUrn: `urn:pulumi:stack::project::${name}`,
});

/** Values cross the engine as JSON. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The engine fails with "Unexpected struct type" on these. */
function requireCarriable(value: unknown, at: string): void {
    if (value === undefined) throw new TypeError(`${at} is undefined`);
    if (typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries(value)) requireCarriable(item, `${at}.${key}`);
}

function textOf(error: unknown): string {
    const { message, reasons } = error as { message?: string; reasons?: readonly string[] };
    return [message ?? String(error), ...(reasons ?? [])].join("; ");
}
