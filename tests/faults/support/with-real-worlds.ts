import { type RealWorlds, startRealWorlds } from "../../support/engine/real-world";

/** Real worlds for the tests of a file, from before the first to after the last; then `print` says what came of it. */
export function withRealWorlds(names: readonly string[], sets: number, print: () => void): () => RealWorlds {
    let worlds: RealWorlds;
    beforeAll(async () => {
        worlds = await startRealWorlds(names, sets);
    }, 600_000);
    afterAll(async () => {
        await worlds?.stop();
        print();
    }, 60_000);
    return () => worlds;
}
