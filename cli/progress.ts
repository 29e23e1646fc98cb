import type { ObserveProgress } from "../provider/observe/observe-clusters";
import { visible } from "./render/visible";

export interface Output {
    write(text: string): void;
    readonly isTTY: boolean;
    readonly columns?: number | undefined;
}

export interface Progress {
    update(progress: ObserveProgress): void;
    /** Takes away what is on the screen. */
    stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MILLISECONDS = 120;
/** Without a terminal a quick run says nothing; a slow one says whom it waits for. */
const SLOW_MILLISECONDS = 3_000;
const MOST_NAMES = 5;

/** Tells on stderr which clusters have not answered yet: one moving line on a terminal, a few plain ones elsewhere. */
export function startProgress(clusters: readonly string[], out: Output): Progress {
    const waiting = new Set(clusters);
    let frame = 0;
    let isShown = false;
    const words = (): string => {
        const names = [...waiting].slice(0, MOST_NAMES).map(visible).join(", ");
        const more = waiting.size > MOST_NAMES ? ` and ${waiting.size - MOST_NAMES} more` : "";
        return `${clusters.length - waiting.size} of ${clusters.length} clusters read, waiting for ${names}${more}`;
    };
    const draw = (): void => {
        if (waiting.size === 0) return;
        const line = `${FRAMES[frame++ % FRAMES.length]} ${words()}`;
        out.write(`\r\u001b[K${[...line].slice(0, (out.columns ?? 80) - 1).join("")}`);
        isShown = true;
    };
    const tell = (): void => {
        if (waiting.size > 0) out.write(`${words()}\n`);
    };
    const timer = setInterval(out.isTTY ? draw : tell, out.isTTY ? FRAME_MILLISECONDS : SLOW_MILLISECONDS);
    timer.unref();
    return {
        update: ({ cluster }) => void waiting.delete(cluster),
        stop: () => {
            clearInterval(timer);
            if (isShown) out.write("\r\u001b[K");
        },
    };
}
