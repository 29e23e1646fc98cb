import type { ClusterAccess } from "../kube/auth/access";
import type { KubeClient } from "../kube/client";

/** Where a resource says what it is doing: both end up on that resource in the CLI. */
export interface Reporter {
    warn(message: string): void;
    /** Live status, shown while the operation runs and then forgotten. All but the last may be left out. */
    progress(message: string, last: boolean): void;
}

/** What a resource needs from whoever runs it: the dynamic-provider host today, a plugin later, a test always. */
export interface Host {
    connect(access: ClusterAccess, requestTimeoutSeconds: number): Promise<KubeClient>;
    reporter(resourceUrn: string | undefined): Reporter;
    now(): Date;
    /** A new random id: a valid label value that nobody else has. */
    newId(): string;
    env(name: string): string | undefined;
}

/** Property bags as the engine passes them. */
export type Props = Record<string, unknown>;

export interface CheckResult {
    readonly inputs: Props;
    readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export interface ReadResult {
    readonly id: string;
    readonly props: Props;
    /** Only when the cluster differs from what we wrote: then the engine shows the difference as drift. */
    readonly inputs?: Props;
}

/** One kind of resource, over plain values. `olds` is the recorded inputs in `check` and the recorded outputs elsewhere. */
export interface ResourceKind {
    check(host: Host, olds: Props, news: Props): CheckResult;
    diff(olds: Props, news: Props): { readonly changes: boolean };
    create(host: Host, inputs: Props): Promise<{ readonly id: string; readonly outs: Props }>;
    read(host: Host, id: string, outs: Props): Promise<ReadResult>;
    update(host: Host, id: string, olds: Props, news: Props): Promise<{ readonly outs: Props }>;
    delete(host: Host, id: string, outs: Props): Promise<void>;
}

/** Some peers could not be written: the state must hold what was. The engine reads these fields off the error. */
export class PartialFailure extends Error {
    constructor(
        readonly id: string,
        readonly properties: Props,
        readonly reasons: string[],
        message: string,
    ) {
        super(message);
    }
}
