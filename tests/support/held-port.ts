import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface HeldPort {
    readonly port: number;
    release(): Promise<void>;
}

/**
 * A port of loopback that the system gives to nobody else until it is released, whether its owner listens on it or not: while a proxy is
 * down, another test's server could otherwise get its port and answer instead of refusing.
 *
 * It is one end of a connection that carries nothing. Whoever connects to it while nobody listens is refused.
 */
export async function holdPort(): Promise<HeldPort> {
    const far: Socket[] = [];
    // the far end sees the reset below
    const anchor = createServer((socket) => far.push(socket.on("error", () => undefined)));
    anchor.listen(0, "127.0.0.1");
    await once(anchor, "listening");
    const held = connect({
        host: "127.0.0.1",
        port: (anchor.address() as AddressInfo).port,
        localAddress: "127.0.0.1",
    });
    await once(held, "connect");
    return {
        port: held.localPort as number,
        async release() {
            held.resetAndDestroy();
            for (const socket of far) socket.destroy();
            anchor.close();
            await once(anchor, "close");
        },
    };
}
