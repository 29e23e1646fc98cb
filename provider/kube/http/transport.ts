import type { Dispatcher } from "undici";
import type { ClusterAccess } from "../auth/access";
import { KubeError } from "../errors/kube-error";
import { statusError } from "../errors/status-errors";
import { type Call, describeCall, METHODS, pathOf } from "./call";
import type { Clock } from "./clock";
import { AnswerTooLarge, type Exchange, exchange, type Limits } from "./exchange";
import { httpDate } from "./http-date";
import { type RetryLimits, retryAfterSeconds, withRetry } from "./retry";
import { openSession, type Session, type SessionOptions } from "./session";
import { streamLines } from "./stream";

export interface TransportOptions extends SessionOptions {
    readonly clock: Clock;
    readonly retries: RetryLimits;
}

export interface SendOptions {
    readonly signal?: AbortSignal | undefined;
    /** Lists: time is counted per silence instead of per answer, up to this moment (milliseconds since the epoch). */
    readonly deadline?: number;
    readonly maxBytes?: number;
}

export interface Answer {
    /** Parsed. */
    readonly body: unknown;
    /** The server's clock when it answered, in milliseconds since the epoch; undefined where it does not tell. */
    readonly at: number | undefined;
}

export interface StreamOptions {
    readonly signal?: AbortSignal | undefined;
    /** How long the server may say nothing. */
    readonly silenceSeconds: number;
    /** The answer has begun; the server's clock in milliseconds since the epoch, where it tells. */
    onHead(at: number | undefined): void;
    onLine(line: string): void;
}

const MAX_ANSWER_BYTES = 8 << 20;
/** Renew credentials a little before the end they announced. */
const RENEW_MILLISECONDS = 10_000;
/** How long a source of credentials that had nothing new is not asked again: a plugin may take a second to run. */
const VAIN_MILLISECONDS = 30_000;
/** Failures after which other calls of the same run would only wait for nothing. */
const DOWN: ReadonlySet<string | undefined> = new Set(["timeout", "refused", "dns", "network"]);

/** One for all connections: Node renders the stack of the error that it closes a connection with, mapped to its sources. */
const CLOSED = new Error("closed");

/** Sends calls to one cluster: credentials, deadlines, retries, and errors in our own words. */
export class Transport {
    readonly #access: ClusterAccess;
    readonly #options: TransportOptions;
    #session: Session;
    #renewal: Promise<Session> | undefined;
    /** When a renewal last brought nothing new. */
    #renewedInVain = Number.NEGATIVE_INFINITY;
    #successes = 0;
    #down: KubeError | undefined;
    #closed = false;

    private constructor(access: ClusterAccess, options: TransportOptions, session: Session) {
        this.#access = access;
        this.#options = options;
        this.#session = session;
    }

    static async open(access: ClusterAccess, options: TransportOptions): Promise<Transport> {
        return new Transport(access, options, await openSession(access, options));
    }

    /** The parsed answer; throws a KubeError for everything else. */
    async send(call: Call, options: SendOptions = {}): Promise<unknown> {
        return (await this.ask(call, options)).body;
    }

    /** As `send`, with the server's clock; throws AnswerTooLarge for a list's page. */
    async ask(call: Call, options: SendOptions = {}): Promise<Answer> {
        if (this.#down) throw notTried(call, this.#down);
        const before = this.#successes;
        try {
            const { clock } = this.#options;
            // Every operation begins with a list: there a silent cluster is given up after one timeout.
            const retries = { ...this.#options.retries, ...(call.verb === "list" ? { timeouts: 1 } : {}) };
            const answer = await withRetry(retries, clock, options.signal, () => this.#attempt(call, options));
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

    /** An answer that goes on line by line, until the server ends it. Tried once: who watches knows how to go on. */
    async stream(call: Call, { onHead, onLine, ...options }: StreamOptions): Promise<void> {
        const follow = (session: Session): Promise<Exchange> =>
            streamLines(
                session.dispatcher,
                requestFor(session, call),
                {
                    timeoutSeconds: this.#options.requestTimeoutSeconds,
                    silenceSeconds: options.silenceSeconds,
                    ...(options.signal === undefined ? {} : { signal: options.signal }),
                },
                failureContext(this.#access.cluster, session, call),
                { onHead: (date) => onHead(httpDate(date)), onLine },
            );
        const { session, answer } = await this.#signedIn(follow);
        if (answer.status !== 200) throw this.#refusal(session, call, answer);
    }

    async close(): Promise<void> {
        this.#closed = true;
        await this.#renewal?.catch(() => undefined);
        await this.#session.dispatcher.destroy(CLOSED);
    }

    async #attempt(call: Call, options: SendOptions): Promise<Answer> {
        const { session, answer } = await this.#signedIn((current) => this.#exchange(current, call, options));
        if (answer.status < 200 || answer.status > 299) throw this.#refusal(session, call, answer);
        try {
            return { body: JSON.parse(answer.text), at: httpDate(answer.date) };
        } catch {
            const context = failureContext(this.#access.cluster, session, call);
            throw statusError(context, { status: answer.status, text: "the answer is not JSON" });
        }
    }

    /** Asks a second time where the credentials were refused and there are newer ones. */
    async #signedIn(ask: (session: Session) => Promise<Exchange>): Promise<{ session: Session; answer: Exchange }> {
        const session = await this.#currentSession();
        const answer = await ask(session);
        if (answer.status !== 401) return { session, answer };
        const renewed = await this.#renew(session);
        if (renewed.fingerprint === session.fingerprint) return { session, answer };
        return { session: renewed, answer: await ask(renewed) };
    }

    #refusal(session: Session, call: Call, { status, text, retryAfter }: Exchange): KubeError {
        const wait = retryAfterSeconds(retryAfter, this.#options.clock.now());
        const hint = session.credentials.hint;
        return statusError(failureContext(this.#access.cluster, session, call), {
            status,
            text,
            ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
            ...(hint === undefined ? {} : { hint }),
        });
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
        const { expiresAt } = this.#session.credentials;
        const fresh = expiresAt === undefined || expiresAt - RENEW_MILLISECONDS > this.#options.clock.now();
        return fresh ? this.#session : this.#renew(this.#session);
    }

    /** Calls in flight share one renewal; a source that has nothing new is left in peace for a while. */
    async #renew(stale: Session): Promise<Session> {
        if (this.#session !== stale || this.#closed) return this.#session;
        if (this.#options.clock.now() - this.#renewedInVain < VAIN_MILLISECONDS) return stale;
        this.#renewal ??= this.#replace(stale).finally(() => {
            this.#renewal = undefined;
        });
        return this.#renewal;
    }

    async #replace(stale: Session): Promise<Session> {
        const opened = await openSession(this.#access, this.#options);
        if (opened.fingerprint === stale.fingerprint) {
            this.#renewedInVain = this.#options.clock.now();
            await opened.dispatcher.destroy(CLOSED);
            return stale;
        }
        this.#session = opened;
        // Closes when the last answer in flight is read.
        stale.dispatcher.close().catch(() => undefined);
        return opened;
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
            // A list packs to a fifteenth; a single object would gain nothing.
            ...(call.verb === "list" ? { "accept-encoding": "gzip" } : {}),
            ...(body === undefined
                ? {}
                : { "content-type": call.verb === "patch" ? "application/merge-patch+json" : "application/json" }),
        },
        ...(body === undefined ? {} : { body }),
        // A DELETE with a body would close its connection, and each of thousands would begin with a TLS handshake. API
        // servers expect such bodies, and every client of them keeps its connections.
        reset: false,
    };
}

const failureContext = (cluster: string, { credentials, proxy }: Session, call: Call) => ({
    cluster,
    call,
    host: credentials.server.host,
    secrets: credentials.secrets,
    ...(proxy === undefined ? {} : { proxy }),
});

const notTried = (call: Call, earlier: KubeError): KubeError =>
    new KubeError({
        kind: earlier.kind,
        cluster: earlier.cluster,
        message: `cluster ${earlier.cluster} is unreachable: did not try to ${describeCall(call)}, because the cluster stopped answering (${earlier.message})`,
        fix: earlier.fix,
        ...(earlier.network === undefined ? {} : { network: earlier.network }),
    });
