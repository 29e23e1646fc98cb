import type { ServerLife } from "../../tools/clusters/server-life";

/** It dies without a word, and starts again. */
export async function crash(server: Pick<ServerLife, "kill" | "start">): Promise<void> {
    await server.kill();
    await server.start();
}
