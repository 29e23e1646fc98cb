import type { Dispatcher } from "undici";
import type { ClusterAccess } from "./access";
import { type Call, describeCall, METHODS, pathOf } from "./call";
import type { Clock } from "./clock";
import { KubeError } from "./errors";
import { AnswerTooLarge, type Exchange, exchange, type Limits } from "./exchange";
import { type Patience, retryAfterSeconds, withRetry } from "./retry";
import { openSession, type Session, type SessionOptions } from "./session";
import { statusError } from "./status-errors";

export interface TransportOptions extends SessionOptions {
    readonly clock: Clock;
    readonly patience: Patience;
}

export interface SendOptions {
    readonly signal?: AbortSignal | undefined;
    /** Lists: time is counted per silence instead of per answer, up to this moment (milliseconds since the epoch). */
    readonly deadline?: number;
    readonly maxBytes?: number;
}

const MAX_ANSWER_BYTES = 8 << 20;
/** Renew credentials a little before the end they announced. */
const RENEW_MILLISECONDS = 10_000;
/** Failures after which other calls of the same run would only wait for nothing. */
const DOWN: ReadonlySet<string | undefined> = new Set(["timeout", "refused", "dns", "network"]);

/** Sends calls to one cluster: credentials, deadlines, retries, and errors in our own words. */
export class Transport {
    readonly #access: ClusterAccess;
    readonly #options: TransportOptions;
    #session: Promise<Session>;
    #successes = 0;
    #down: KubeError | undefined;
    #closed = false;

    private constructor(access: ClusterAccess, options: TransportOptions, session: Session) {
        this.#access = access;
        this.#options = options;
        this.#session = Promise.resolve(session);
    }

    static async open(access: ClusterAccess, options: TransportOptions): Promise<Transport> {
        return new Transport(access, options, await openSession(access, options));
    }

    /** The parsed answer; throws a KubeError for everything else, and AnswerTooLarge for a list's page. */
    async send(call: Call, options: SendOptions = {}): Promise<unknown> {
        if (this.#down) throw notTried(call, this.#down);
        const before = this.#successes;
        try {
            const { patience, clock } = this.#options;
            const answer = await withRetry(patience, clock, options.signal, () => this.#attempt(call, options));
            this.#successes++;
            return answer;
        } catch (error) {
            if (error instanceof AnswerTooLarge && call.verb !== "list") {
                throw statusError(error.context, { status: 200, text: "the answer is larger than any such object" });
            }
            if (error instanceof KubeError && DOWN.has(error.network) && this.#successes === before) this.#down = error;
            throw error;
        }
    }

    async close(): Promise<void> {
        this.#closed = true;
        const session = await this.#session.catch(() => undefined);
        await session?.dispatcher.destroy();
    }

    async #attempt(call: Call, options: SendOptions): Promise<unknown> {
        let session = await this.#currentSession();
        let answer = await this.#exchange(session, call, options);
        if (answer.status === 401) {
            const renewed = await this.#renew(session);
            if (renewed.fingerprint !== session.fingerprint) {
                session = renewed;
                answer = await this.#exchange(session, call, options);
            }
        }
        const context = failureContext(this.#access.cluster, session, call);
        if (answer.status < 200 || answer.status > 299) {
            const wait = retryAfterSeconds(answer.retryAfter, this.#options.clock.now());
            const hint = session.credentials.hint;
            throw statusError(context, {
                status: answer.status,
                text: answer.text,
                ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
                ...(hint === undefined ? {} : { hint }),
            });
        }
        try {
            return JSON.parse(answer.text);
        } catch {
            throw statusError(context, { status: answer.status, text: "the answer is not JSON" });
        }
    }

    #exchange(session: Session, call: Call, { signal, deadline, maxBytes }: SendOptions): Promise<Exchange> {
        const { clock, requestTimeoutSeconds } = this.#options;
        const limits: Limits = {
            timeoutSeconds: requestTimeoutSeconds,
            maxBytes: maxBytes ?? MAX_ANSWER_BYTES,
            now: clock.now,
            ...(deadline === undefined ? {} : { deadline }),
            ...(signal === undefined ? {} : { signal }),
        };
        return exchange(
            session.dispatcher,
            requestFor(session, call),
            limits,
            failureContext(this.#access.cluster, session, call),
        );
    }

    async #currentSession(): Promise<Session> {
        const session = await this.#session;
        const { expiresAt } = session.credentials;
        const fresh = expiresAt === undefined || expiresAt - RENEW_MILLISECONDS > this.#options.clock.now();
        return fresh ? session : this.#renew(session);
    }

    /** Calls in flight share one renewal; the replaced connections close when their last answer is read. */
    async #renew(stale: Session): Promise<Session> {
        if ((await this.#session) !== stale || this.#closed) return this.#session;
        const renewal = openSession(this.#access, this.#options);
        this.#session = renewal.catch(() => stale);
        const renewed = await renewal;
        if (renewed.fingerprint === stale.fingerprint) {
            await renewed.dispatcher.destroy();
            this.#session = Promise.resolve(stale);
            return stale;
        }
        stale.dispatcher.close().catch(() => undefined);
        return renewed;
    }
}

function requestFor({ credentials, basePath }: Session, call: Call): Dispatcher.RequestOptions {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    return {
        origin: credentials.server.origin,
        path: basePath + pathOf(call),
        method: METHODS[call.verb],
        headers: {
            ...credentials.headers,
            accept: "application/json",
            "user-agent": "pulumi-kilo-clustermesh",
            ...(body === undefined
                ? {}
                : { "content-type": call.verb === "patch" ? "application/merge-patch+json" : "application/json" }),
        },
        ...(body === undefined ? {} : { body }),
    };
}

const failureContext = (cluster: string, { credentials }: Session, call: Call) => ({
    cluster,
    call,
    host: credentials.server.host,
    secrets: credentials.secrets,
});

const notTried = (call: Call, earlier: KubeError): KubeError =>
    new KubeError({
        kind: earlier.kind,
        cluster: earlier.cluster,
        message: `cluster ${earlier.cluster} is unreachable: did not try to ${describeCall(call)}, because the cluster stopped answering (${earlier.message})`,
        fix: earlier.fix,
        ...(earlier.network === undefined ? {} : { network: earlier.network }),
    });
