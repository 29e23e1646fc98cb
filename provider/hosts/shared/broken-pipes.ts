import type { EventEmitter } from "node:events";

/**
 * A killed engine leaves the host of our resources behind with broken pipes. Pulumi's host answers the failure to print
 * by printing it, without end and with ever more memory. Nobody is there to read or to record what we do: it ends.
 */
export function endOnBrokenPipes(
    streams: readonly EventEmitter[] = [process.stdout, process.stderr],
    end: () => void = () => process.exit(1),
): void {
    for (const stream of streams) {
        stream.on("error", ({ code }: NodeJS.ErrnoException) => {
            if (code === "EPIPE") end();
        });
    }
}
