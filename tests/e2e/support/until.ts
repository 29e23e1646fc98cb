/** Looks again and again until it is so; what was last seen is returned when it never is. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean, seconds = 30): Promise<T> {
    for (const limit = Date.now() + seconds * 1000; ; ) {
        const seen = await look();
        if (isSo(seen) || Date.now() > limit) return seen;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
}
