import { clusterNetworks } from "../../../tools/clusters/networks";
import { claimOf, type Ground, isOfMesh, type Peer } from "../../support/engine/ground";
import type { MiniEngine } from "../../support/engine/mini-engine";
import type { Model } from "./model";
import { outline, sameEntries } from "./outline";
import type { Step } from "./steps";

/** Compares the clusters with the model and the state, and throws where they are not as they must be. */
export class Judge {
    constructor(
        private readonly grounds: readonly Ground[],
        private readonly model: Model,
        private readonly engine: MiniEngine,
        /** Foreign peers as they were made, `cluster/name` → text. */
        private readonly foreign: ReadonlyMap<string, string>,
        private readonly demand: (holds: boolean, what: string) => void,
    ) {}

    async nothingClashed(step: Step): Promise<void> {
        for (const ground of this.grounds) {
            const found = await ground.violations();
            const broken = isLiedTo(step) ? found.filter((text) => !this.#isAboutForeign(ground, text)) : found;
            this.demand(broken.length === 0, `${ground.name}: ${broken.join("; ")}`);
        }
    }

    async hasModel(): Promise<void> {
        const wanted = this.model.peers();
        for (const ground of this.grounds) {
            const live = (await ground.peers()).filter(isOfMesh);
            const found = Object.fromEntries(live.map((peer) => [peer.metadata.name, outline(peer)] as const));
            const expected = wanted[ground.name] ?? {};
            this.demand(
                sameEntries(found, expected),
                `${ground.name} has ${JSON.stringify(found)} and should have ${JSON.stringify(expected)}`,
            );
            this.#carriesServices(ground, live);
        }
    }

    /** The services of a source ride on exactly one of its peers. */
    #carriesServices(ground: Ground, live: readonly Peer[]): void {
        for (const { name, index } of this.model.clusters) {
            const { serviceCIDR } = clusterNetworks(index);
            const ofSource = live.filter((peer) => peer.metadata.name.startsWith(`edge--${name}--`));
            const carriers = ofSource.filter((peer) => peer.spec?.allowedIPs?.includes(serviceCIDR));
            this.demand(
                carriers.length === Math.min(1, ofSource.length),
                `${carriers.length} peers in ${ground.name} carry the services of ${name}`,
            );
        }
    }

    async leftForeignAlone(): Promise<void> {
        const found = new Map<string, string>();
        for (const ground of this.grounds) {
            for (const peer of await ground.peers()) {
                const id = `${ground.name}/${peer.metadata.name}`;
                if (this.foreign.has(id)) found.set(id, JSON.stringify(peer));
            }
        }
        for (const [id, text] of this.foreign)
            this.demand(found.get(id) === text, `${id}, which is not ours, was touched`);
    }

    /** Everything with our mesh's label is under a claim that the state knows. */
    async knowsWhatIsOurs(): Promise<void> {
        const claims = this.engine.claims();
        for (const ground of this.grounds) {
            for (const peer of (await ground.peers()).filter(isOfMesh)) {
                const known = claimOf(peer) === claims[ground.name];
                this.demand(known, `${ground.name}/${peer.metadata.name} is nobody's`);
            }
        }
    }

    async leftNothing(): Promise<void> {
        for (const ground of this.grounds) {
            const left = (await ground.peers()).filter(
                (peer) => !this.foreign.has(`${ground.name}/${peer.metadata.name}`),
            );
            this.demand(
                left.length === 0,
                `destroy left ${left.map((peer) => peer.metadata.name).join(", ")} in ${ground.name}`,
            );
        }
    }

    #isAboutForeign({ name }: Ground, violation: string): boolean {
        const foreign = this.model.cluster(name).foreign;
        return violation.split(" ").some((word) => foreign.has(word));
    }
}

/**
 * A server that answers every read from the past, to the end of the run, hides foreign peers that came since: nobody
 * can keep clear of them. The next run that is told the truth must, and our own peers never clash.
 */
const isLiedTo = (step: Step): boolean => "fault" in step && step.fault.kind === "stale" && step.stubborn;
