import { connect } from "node:net";

/** The engine closes connections that say nothing; a new one soon after tells whether it is still there. */
const LOOK_AGAIN_MS = 100;

/**
 * A killed engine leaves this process behind, and what it still writes is in no state and may cross the next run's
 * writes. A connection to it breaks the moment it dies, and where nobody listens any more it is gone for certain.
 */
export function endWithEngine(address: string, end: () => void = () => process.exit(1)): void {
    const { hostname, port } = new URL(`tcp://${address}`);
    const lookAgain = (): void => void setTimeout(() => endWithEngine(address, end), LOOK_AGAIN_MS).unref();
    const socket = connect(Number(port), hostname)
        .once("close", lookAgain)
        .on("error", ({ code }: NodeJS.ErrnoException) => {
            if (code !== "ECONNREFUSED") return;
            socket.off("close", lookAgain);
            end();
        });
    socket.resume().unref();
}
