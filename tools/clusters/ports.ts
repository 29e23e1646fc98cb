import { createServer } from "node:net";

const HOST = "127.0.0.1";
/**
 * Below the ports that systems give out by themselves (Linux from 32768, macOS and Windows from 49152), to connections and to servers
 * that ask for any: while one of our servers is stopped, nobody gets its port by chance.
 */
const FIRST = 20_000;
const COUNT = 10_000;

/** One after the other, so that no port is given twice; processes that run at the same time begin far apart. */
let next = (process.pid * 97) % COUNT;

/** A port on loopback that nobody listens on now. Somebody may be quicker: whoever binds it must be ready to retry. */
export async function freePort(): Promise<number> {
    for (let tried = 0; tried < COUNT; tried++) {
        const port = FIRST + next;
        next = (next + 1) % COUNT;
        if (await isFree(port)) return port;
    }
    throw new Error(`No port of ${HOST} between ${FIRST} and ${FIRST + COUNT - 1} is free`);
}

export async function isFree(port: number): Promise<boolean> {
    const server = createServer();
    return new Promise((resolve) => {
        server.once("error", () => resolve(false));
        server.listen(port, HOST, () => server.close(() => resolve(true)));
    });
}
