import { setTimeout as sleep } from "node:timers/promises";
import { checkIn } from "./check-in";
import { connectAll } from "./connect";

/** Has the agents of all nodes check in, round after round, for as long as this process lives. */
export async function keepCheckingIn(directory: string, seconds: number): Promise<never> {
    for (;;) {
        // The list is read every time: clusters come, and a server that was restarted has other connections.
        const { clusters, close } = connectAll(directory);
        // A cluster that is stopped or frozen keeps nobody else's nodes waiting.
        await Promise.allSettled(clusters.map((cluster) => checkIn([cluster])));
        await close();
        await sleep(seconds * 1000);
    }
}
