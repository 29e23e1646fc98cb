import { createInterface } from "node:readline/promises";

/** Asks on the terminal. The end of the input is no answer. */
export async function ask(question: string): Promise<string> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    try {
        return await Promise.race([terminal.question(question), ended]);
    } finally {
        terminal.close();
    }
}
