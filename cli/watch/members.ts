import { type ClusterAccess, hasOverride } from "../../provider/kube/auth/access";
import { thisMachine } from "../../provider/kube/auth/surroundings";
import { openCluster } from "../../provider/kube/client";
import type { Clock } from "../../provider/kube/http/clock";
import { openTurns } from "../../provider/kube/turns";
import type { ClusterSpec, MeshSpec } from "../../provider/mesh/types";
import type { FailedObservation } from "../../provider/observe/observe-clusters";
import { observeTarget } from "../../provider/observe/observe-target";
import { secretReader } from "../../provider/observe/secret-chain";
import { type MemberTiming, type MemberWatch, watchMember } from "./member-watch";
import { type MemberView, openView } from "./view";

export interface MembersOptions {
    readonly requestTimeoutSeconds: (mesh: MeshSpec) => number;
    readonly clock: Clock;
    readonly timing?: MemberTiming;
    /** Something that planning uses has changed. */
    onChange(): void;
    /** A member changed its state, or failed in another way. */
    onState(member: string, view: MemberView, failure: FailedObservation | undefined): void;
    onUnwatchable(member: string, message: string, fix: string): void;
    /** A defect: it ends the watch. */
    onDefect(error: unknown): void;
}

export interface Members {
    readonly views: ReadonlyMap<string, MemberView>;
    /** Watches these clusters from now on; those whose arguments and credentials are the same go on as they are. */
    follow(mesh: MeshSpec): void;
    accessOf(cluster: string): Promise<ClusterAccess>;
    /** Lists all of them again; resolves when each was heard of, or has failed. */
    again(): Promise<void>;
    /** Nodes become stale by the passing of time. */
    tick(): void;
    stop(): Promise<void>;
}

const LISTS_AT_ONCE = 8;
const SLOW_LIST_SECONDS = 0.25;

interface Followed {
    readonly view: MemberView;
    readonly key: string;
    readonly stop: AbortController;
    readonly watch: MemberWatch;
}

/** All members of a mesh, each heard of by itself. */
export function openMembers(options: MembersOptions): Members {
    const { clock } = options;
    const turns = openTurns(LISTS_AT_ONCE, SLOW_LIST_SECONDS, clock);
    const followed = new Map<string, Followed>();
    const views = new Map<string, MemberView>();
    let current: MeshSpec | undefined;

    const accessOf = async (name: string): Promise<ClusterAccess> => {
        const mesh = current!;
        const surroundings = thisMachine();
        const open = (access: ClusterAccess) =>
            openCluster(access, {
                requestTimeoutSeconds: options.requestTimeoutSeconds(mesh),
                retries: "brief",
                clock,
                surroundings,
            });
        const { accessOf } = secretReader(mesh.clusters.map(observeTarget), open, (cluster) =>
            hasOverride(cluster, surroundings),
        );
        return accessOf(name);
    };

    const begin = (spec: ClusterSpec, key: string, mesh: MeshSpec): Followed => {
        const view = openView(spec);
        const stop = new AbortController();
        let before = "";
        let isTold = false;
        const tell = (isChanged: boolean, failure?: FailedObservation): void => {
            const now = `${view.state} ${failure?.message ?? ""}`;
            if (now !== before) options.onState(spec.name, view, failure);
            before = now;
            if (isChanged) options.onChange();
        };
        const unwatchable = (event: { kind: string; error?: { message: string; fix: string } }): void => {
            if (event.error === undefined || isTold) return;
            isTold = true;
            options.onUnwatchable(spec.name, event.error.message, event.error.fix);
        };
        const watch = watchMember({
            access: () => accessOf(spec.name),
            keepLabels: Object.keys(spec.nodeSelector ?? {}),
            requestTimeoutSeconds: options.requestTimeoutSeconds(mesh),
            clock,
            turns,
            signal: stop.signal,
            ...(options.timing === undefined ? {} : { timing: options.timing }),
            onNodes: (event) => {
                unwatchable(event);
                tell(view.onNodes(event, clock.now()));
            },
            onPeers: (event) => {
                unwatchable(event);
                tell(view.onPeers(event, clock.now()));
            },
            onIdentity: (uid) => tell(view.onIdentity(uid)),
            onFailure: (failure) => tell(view.onFailure(failure), failure),
        });
        watch.done.catch(options.onDefect);
        return { view, key, stop, watch };
    };

    return {
        views,
        accessOf,
        follow(mesh) {
            current = mesh;
            const wanted = new Map(mesh.clusters.map((spec) => [spec.name, spec]));
            for (const [name, { key, stop }] of followed) {
                const spec = wanted.get(name);
                if (spec !== undefined && key === JSON.stringify(spec)) continue;
                stop.abort();
                followed.delete(name);
                views.delete(name);
            }
            for (const [name, spec] of wanted) {
                if (followed.has(name)) continue;
                const member = begin(spec, JSON.stringify(spec), mesh);
                followed.set(name, member);
                views.set(name, member.view);
            }
        },
        async again() {
            await Promise.all([...followed.values()].map(({ watch }) => watch.again()));
        },
        tick() {
            const now = clock.now();
            if ([...views.values()].filter((view) => view.onTime(now)).length > 0) options.onChange();
        },
        async stop() {
            for (const { stop } of followed.values()) stop.abort();
            await Promise.all([...followed.values()].map(({ watch }) => watch.done.catch(() => undefined)));
        },
    };
}
