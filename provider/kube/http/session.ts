import { createHash } from "node:crypto";
import type { Dispatcher } from "undici";
import type { ClusterAccess } from "../auth/access";
import { type Credentials, resolveCredentials } from "../auth/credentials";
import type { Surroundings } from "../auth/surroundings";
import type { Clock } from "./clock";
import { openDispatcher } from "./dispatcher";
import { proxyFor } from "./proxy";

/** Credentials and the connections opened with them; renewed together, because both may change. */
export interface Session {
    readonly credentials: Credentials;
    readonly dispatcher: Dispatcher;
    /** Host and port of the proxy between us and the server, if there is one. */
    readonly proxy: string | undefined;
    /** Path in front of /api, for instance behind Rancher. */
    readonly basePath: string;
    /** Tells whether a renewal brought anything new. */
    readonly fingerprint: string;
}

export interface SessionOptions {
    readonly surroundings: Surroundings;
    readonly requestTimeoutSeconds: number;
    readonly connections: number;
    readonly clock: Clock;
}

export async function openSession(access: ClusterAccess, options: SessionOptions): Promise<Session> {
    const { surroundings, requestTimeoutSeconds, connections, clock } = options;
    const credentials = await resolveCredentials(access, {
        surroundings,
        timeoutSeconds: requestTimeoutSeconds,
        now: clock.now,
    });
    const proxy = proxyFor(access.cluster, credentials.server, credentials.proxyUrl, surroundings.env);
    return {
        credentials,
        proxy: proxy?.host,
        basePath: credentials.server.pathname.replace(/\/+$/, ""),
        fingerprint: fingerprint(credentials),
        dispatcher: openDispatcher(credentials, {
            proxy,
            connections,
            connectTimeoutSeconds: requestTimeoutSeconds,
        }),
    };
}

function fingerprint({ server, headers, tls, proxyUrl }: Credentials): string {
    const parts = [server.href, JSON.stringify(headers), String(tls.cert), String(tls.key), String(tls.ca), proxyUrl];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
