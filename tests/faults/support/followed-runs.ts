import type { MeshWorld } from "../../support/engine/mesh-world";
import type { Declaration } from "../../support/kilo-model/declaration";
import { violationText } from "../../support/kilo-model/judge";
import type { ClusterObjects } from "../../support/kilo-model/objects";
import { RunJudge } from "../../support/kilo-model/run-judge";
import type { Demand } from "./demands";

/** Lets the model of Kilo look on while something runs over the clusters of a world. */
export class FollowedRuns {
    #judge: RunJudge | undefined;

    constructor(
        private readonly world: MeshWorld,
        private readonly demand: Demand,
    ) {
        for (const { name, onWrite } of world.clusters) onWrite?.((event) => this.#judge?.follow(name, event));
    }

    /** However it ends, it interrupts nobody whose own peer it does not replace. */
    async during<T>(declaration: Declaration, run: () => Promise<T>): Promise<T> {
        this.#judge = new RunJudge(await this.#objects(), declaration);
        const result = await run();
        for (const { from, to, after, replaced } of this.#judge.interrupted) {
            this.demand(replaced, `${from.node} → ${to.node} stopped working at ${after}`);
        }
        return result;
    }

    /** After a run that succeeded: exactly those that the program joins reach each other. */
    async asDeclared(): Promise<void> {
        const isFollowed = this.world.clusters.every(({ onWrite }) => onWrite !== undefined);
        const objects = await this.#objects();
        const judge = isFollowed ? this.#judge! : new RunJudge(objects, this.#judge!.declaration);
        const found = judge.end(objects).map(violationText);
        this.demand(found.length === 0, `Kilo does not do what the program says: ${found.join("; ")}`);
    }

    async #objects(): Promise<Record<string, ClusterObjects>> {
        const all = this.world.clusters.map(async (member) => {
            const [nodes, peers] = await Promise.all([member.nodes(), member.peers()]);
            return [member.name, { nodes, peers }] as const;
        });
        return Object.fromEntries(await Promise.all(all));
    }
}
