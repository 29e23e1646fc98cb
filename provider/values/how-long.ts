const UNITS = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
] as const;

/** "for 3 hours": how long since then, in the largest unit that fits. */
export function howLong(since: string | undefined, now: Date): string {
    const seconds = since === undefined ? 0 : (now.getTime() - Date.parse(since)) / 1000;
    for (const [unit, size] of UNITS) {
        const count = Math.floor(seconds / size);
        if (count >= 1) return `for ${count} ${unit}${count === 1 ? "" : "s"}`;
    }
    return "since just now";
}
