import { createServer } from "node:http";
import { freePort, isFree } from "../../../../tools/clusters/ports";
import { close, listen } from "../../../support/api-double";

test("a free port is one that no system gives to whoever asks for any, and is given once", async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    expect(new Set(ports).size).toBe(50);
    for (const port of ports) expect(port < 32_768 && port >= 1_024).toBe(true);
});

test("a port is free when nobody listens on it", async () => {
    const port = await freePort();
    expect(await isFree(port)).toBe(true);
    const server = createServer();
    await listen(server, port);
    expect(await isFree(port)).toBe(false);
    await close(server);
    expect(await isFree(port)).toBe(true);
});
