import type { ServerResponse } from "node:http";

/** What becomes of a watch on its way. */
export type StreamFault =
    /** Its head, and nothing that happens afterwards. */
    | { readonly kind: "mute" }
    /** Up to the first event that holds this text, and half of that; then the connection is reset. */
    | { readonly kind: "cut-event"; readonly holding: string }
    /** Up to the first event that holds this text; then it ends in good order. */
    | { readonly kind: "end-after"; readonly holding: string };

/** Passes the body of a watch on, line by line, until the fault. */
export async function passStream(
    body: AsyncIterable<Uint8Array>,
    response: ServerResponse,
    fault: StreamFault,
): Promise<void> {
    response.flushHeaders();
    let rest = "";
    for await (const chunk of body) {
        const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
        rest = lines.pop() ?? "";
        if (fault.kind === "mute") continue;
        for (const line of lines) {
            const isIt = line.includes(fault.holding);
            if (isIt && fault.kind === "cut-event") {
                response.write(line.slice(0, line.length / 2), () => response.socket?.resetAndDestroy());
                return;
            }
            response.write(`${line}\n`);
            if (isIt) return void response.end();
        }
    }
    response.end();
}
