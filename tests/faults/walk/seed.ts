/** A new walk each time; `WALK_SEED` takes the same one again. It is printed at the end of every walk. */
export const seed: number = Number(process.env.WALK_SEED ?? Date.now() % 2 ** 31);
