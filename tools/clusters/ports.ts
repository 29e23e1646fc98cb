import { createServer } from "node:net";

const HOST = "127.0.0.1";
/** Ports given out a moment ago and not yet bound by the server they are for. */
const promised = new Set<number>();

/** A port on loopback that nobody listens on now. Somebody may be quicker: whoever binds it must be ready to retry. */
export async function freePort(): Promise<number> {
    for (;;) {
        const port = await listenOnce(0);
        if (port === undefined || promised.has(port)) continue;
        promised.add(port);
        setTimeout(() => promised.delete(port), 60_000).unref();
        return port;
    }
}

export async function isFree(port: number): Promise<boolean> {
    return (await listenOnce(port)) !== undefined;
}

async function listenOnce(port: number): Promise<number | undefined> {
    const server = createServer();
    return new Promise((resolve) => {
        server.once("error", () => resolve(undefined));
        server.listen(port, HOST, () => {
            const address = server.address();
            server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
        });
    });
}
