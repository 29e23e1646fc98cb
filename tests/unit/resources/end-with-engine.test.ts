import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { endWithEngine } from "../../../provider/hosts/shared/end-with-engine";

/** Listens as an engine does. */
let engine: Server;
const sockets: Socket[] = [];

beforeEach(async () => {
    engine = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await once(engine, "listening");
});

afterEach(() => {
    engine.close();
    for (const socket of sockets.splice(0)) socket.destroy();
});

const address = (): string => `127.0.0.1:${(engine.address() as AddressInfo).port}`;

test("a provider ends when its engine is gone, though it had nothing to say to it", async () => {
    const ended = new Promise<void>((end) => endWithEngine(address(), end));
    await once(engine, "connection");
    engine.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await ended;
});

test("a provider goes on when its engine only closes the connection", async () => {
    const end = jest.fn();
    endWithEngine(address(), end);
    for (let round = 0; round < 3; round++) {
        await once(engine, "connection");
        sockets.at(-1)!.destroy();
    }
    await once(engine, "connection");
    expect(end).not.toHaveBeenCalled();
});
