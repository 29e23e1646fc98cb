import { isDeepStrictEqual } from "node:util";
import { kindOf } from "../../../provider/hosts/shared/kinds";
import type { Clock } from "../../../provider/kube/http/clock";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { look, lookAgain, type Sight } from "../../../provider/observe/look";
import { type MeshPlan, settled } from "../../../provider/observe/plan-known";
import { MEMBERS as MEMBERS_FORM, PEER_SETS as PEER_SETS_FORM } from "../../../provider/resources/group";
import { clustersOf, itemOf, propertyOf, sourceProperties } from "../../../provider/resources/group-items";
import type { Host, PartialFailure, Props } from "../../../provider/resources/host";
import { claimInGroup, claimOfId } from "../../../provider/state/member-id";
import { SCHEMA_VERSIONS } from "../../../provider/state/schema-version";
import { sharePeers } from "../../../provider/state/shared-peers";
import { targetInputs } from "../../../sdk/nodejs/target-inputs";
import { connectionOf, memberOf, membersOf, meshOf, type Program, sharedOf } from "./program-inputs";

export type { Program } from "./program-inputs";

/** One resource as the state of a stack holds it. */
export interface Recorded {
    readonly kind: "mesh" | "member" | "peers" | "members" | "peerSets";
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
        /** How long a second look waits; tests have no rollouts to sit out. */
        private readonly settleSeconds = 0,
    ) {}

    async up(program: Program): Promise<Run> {
        return this.#run(async (run) => {
            const options = { requestTimeoutSeconds: this.timeout(program.requestTimeout), clock: this.clock };
            const sight = await look(program.clusters, options);
            this.#alive();
            await this.#step(run, MESH, "mesh", () => meshOf(program));
            if (program.grouped) {
                await this.#step(run, MEMBERS, "members", () => membersOf(program, sight));
            } else {
                await Promise.all(
                    program.clusters.map((cluster) =>
                        this.#step(run, cluster.name, "member", () => memberOf(program, cluster, sight)),
                    ),
                );
            }
            const plan = await this.#plan(program, sight, options);
            run.plan = plan;
            if (program.grouped) {
                await this.#step(run, PEER_SETS, "peerSets", () => this.#peerSets(program, sight, plan));
            } else {
                await Promise.all(
                    program.clusters.map((cluster) =>
                        this.#step(run, `${cluster.name}/peers`, "peers", () =>
                            this.#peers(program, cluster, sight, plan),
                        ),
                    ),
                );
            }
            for (const { state, reason } of plan.unseen) {
                if (state === "unusable" && program.onUnusable !== "warn") run.failures.push(reason);
            }
            if (run.failures.length > 0) return;
            if (program.grouped) return;
            const kept = new Set([MESH, ...program.clusters.flatMap(({ name }) => [name, `${name}/peers`])]);
            await this.#delete(run, (name) => !kept.has(name));
        });
    }

    /** As `pulumi refresh`: from state alone. */
    async refresh(): Promise<Run> {
        return this.#run(async (run) => {
            await Promise.all(
                [...this.state].map(async ([name, old]) => {
                    try {
                        const { id, props, inputs } = await kindOf({ resource: old.kind }).read(
                            this.host,
                            old.id,
                            copy(old.outputs),
                        );
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
        const group = this.state.get(MEMBERS);
        if (group !== undefined) {
            const former = Object.keys((group.outputs.former as object | undefined) ?? {});
            const names = [group.inputs, this.state.get(PEER_SETS)?.outputs ?? {}].flatMap(clustersOf);
            return Object.fromEntries([...names, ...former].map((name) => [name, claimInGroup(group.id, name)]));
        }
        const members = [...this.state].filter(([, { kind }]) => kind === "member");
        return Object.fromEntries(members.map(([name]) => [name, String(this.#member(name).claim)]));
    }

    /** The ledger of a cluster's peers, as text. */
    ledgerOf(cluster: string): string {
        const group = this.state.get(PEER_SETS)?.outputs;
        const outputs =
            group === undefined
                ? this.state.get(`${cluster}/peers`)?.outputs
                : itemOf(PEER_SETS_FORM, "", group, cluster)?.props;
        return String(outputs?.ledger ?? "");
    }

    async #run(work: (run: MutableRun) => Promise<void>): Promise<Run> {
        const run: MutableRun = { failures: [], changes: [] };
        this.crashed = false;
        await work(run).catch((error: unknown) => run.failures.push(textOf(error)));
        if (this.crashed) run.failures.push("killed");
        return run;
    }

    #plan(
        { mesh, clusters, topology, adopt }: Program,
        sight: Sight,
        options: Parameters<typeof look>[1],
    ): Promise<MeshPlan> {
        return settled(
            {
                mesh,
                meshId: this.state.get(MESH)?.id,
                topology,
                settings: adopt === undefined ? {} : { adopt },
                clusters: clusters.map(({ name }) => name),
                specs: clusters,
                members: clusters.map(({ name }) => this.#member(name)),
                sight,
            },
            (before, doubtful) => lookAgain(before, doubtful, { ...options, afterSeconds: this.settleSeconds }),
        );
    }

    /** As the program sees it: inputs as `check` made them, and the claim that is part of the id. */
    #member(name: string): Props {
        const group = this.state.get(MEMBERS);
        if (group !== undefined) {
            return { ...itemOf(MEMBERS_FORM, "", group.inputs, name)?.props, claim: claimInGroup(group.id, name) };
        }
        const found = this.state.get(name);
        return found === undefined ? {} : { ...found.inputs, claim: claimOfId(found.id) ?? found.outputs.claim };
    }

    #peers(program: Program, cluster: ClusterSpec, sight: Sight, plan: MeshPlan): Props {
        const own = this.#member(cluster.name);
        const reason = plan.unseen.find((each) => each.cluster === cluster.name)?.reason;
        return {
            ...connectionOf(program, cluster, sight),
            resource: "peers",
            claim: own.claim,
            meshId: this.state.get(MESH)?.id,
            identity: own.identity,
            neverSeen: own.neverSeen,
            owner: this.owner,
            ...targetInputs(plan.targets[cluster.name]!, reason),
        };
    }

    #peerSets(program: Program, sight: Sight, plan: MeshPlan): Props {
        const group = this.state.get(MEMBERS);
        const { mesh, requestTimeout } = program;
        const { former } = group?.outputs ?? {};
        const wanted = program.clusters.map(({ name }) => {
            const reason = plan.unseen.find((each) => each.cluster === name)?.reason;
            return [name, targetInputs(plan.targets[name]!, reason)] as const;
        });
        const { sources, peers } = sharePeers(Object.fromEntries(wanted.map(([name, inputs]) => [name, inputs.peers])));
        return {
            resource: "peerSets",
            schemaVersion: SCHEMA_VERSIONS.peerSets,
            ...sharedOf(program, sight),
            mesh,
            requestTimeout,
            meshId: this.state.get(MESH)?.id,
            members: group?.id,
            owner: this.owner,
            holdRemovals:
                program.onUnusable !== "warn" && plan.unseen.some(({ state }) => state === "unusable") ? true : null,
            ...(former === undefined ? {} : { former }),
            ...sourceProperties(sources),
            ...Object.fromEntries(
                wanted.map(([name, inputs]) => {
                    const { identity, neverSeen } = this.#member(name);
                    return [propertyOf(name), { ...inputs, peers: peers[name], identity, neverSeen }];
                }),
            ),
        };
    }

    async #step(run: MutableRun, name: string, kind: Recorded["kind"], wanted: () => Props): Promise<void> {
        const old = this.state.get(name);
        const resource = kindOf({ resource: kind });
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
        for (const kind of ["peers", "peerSets", "member", "members", "mesh"] as const) {
            const doomed = [...this.state].filter(([name, old]) => old.kind === kind && condemned(name));
            await Promise.all(
                doomed.map(async ([name, old]) => {
                    const waits =
                        (kind === "member" && this.state.has(`${name}/peers`)) ||
                        (kind === "members" && this.state.has(PEER_SETS));
                    if (waits) return;
                    try {
                        run.changes.push(`delete ${name}`);
                        await kindOf({ resource: kind }).delete(this.host, old.id, copy(old.outputs));
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

const MESH = "(mesh)";
const MEMBERS = "(members)";
const PEER_SETS = "(peers)";

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
