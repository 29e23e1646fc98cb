import { forEachBounded } from "../../../provider/kube/bounded";
import type { Scene } from "./fault-run";

/** Tries moments, demands that nothing broke at any of them, and counts them for the line at the end of a file. */
export class MomentTally {
    #tried = 0;

    async tryAll<S extends Scene>(
        scenes: readonly S[],
        atOnce: number,
        attempt: (scene: S) => Promise<readonly string[]>,
    ): Promise<void> {
        const broken: string[] = [];
        await forEachBounded(scenes, atOnce, async (scene) => {
            const { scenario, write, when } = scene;
            for (const what of await attempt(scene))
                broken.push(`write ${write} of ${scenario.name}, ${when}: ${what}`);
        });
        expect(broken).toEqual([]);
        this.#tried += scenes.length;
    }

    print(title: string): void {
        process.stdout.write(`${title}: ${this.#tried} tried, ${this.#tried} survived\n`);
    }
}
