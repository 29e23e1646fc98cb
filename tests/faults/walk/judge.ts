import { clusterNetworks } from "../../../tools/clusters/networks";
import { claimOf, isOfMesh, type MemberCluster, type Peer } from "../../support/engine/member-cluster";
import type { MiniEngine } from "../../support/engine/mini-engine";
import type { Model } from "./model";
import { outline, sameEntries } from "./outline";

/** Compares the clusters with the model and the state, and throws where they are not as they must be. */
export class Judge {
    constructor(
        private readonly members: readonly MemberCluster[],
        private readonly model: Model,
        private readonly engine: MiniEngine,
        /** Foreign peers as they were made, `cluster/name` → text. */
        private readonly foreign: ReadonlyMap<string, string>,
        private readonly demand: (holds: boolean, what: string) => void,
    ) {}

    /** Among our own. What a stranger takes of ours is ours all the same, and whether we take of his is judged by `hasModel`. */
    async nothingClashed(): Promise<void> {
        for (const member of this.members) {
            const broken = (await member.violations()).filter((text) => !this.#isAboutForeign(member, text));
            this.demand(broken.length === 0, `${member.name}: ${broken.join("; ")}`);
        }
    }

    /** Every peer of ours in every cluster, in outline. */
    async outlines(): Promise<Record<string, Record<string, string>>> {
        const all: Record<string, Record<string, string>> = {};
        for (const member of this.members) {
            const live = (await member.peers()).filter(isOfMesh);
            all[member.name] = Object.fromEntries(live.map((peer) => [peer.metadata.name, outline(peer)] as const));
        }
        return all;
    }

    /** `before`: what was there when the run began. What a stranger contests stays if it was, and is not made. */
    async hasModel(before: Record<string, Record<string, string>>): Promise<void> {
        const model = this.model.peers();
        const after = await this.outlines();
        for (const member of this.members) {
            const { wanted, contested } = model[member.name]!;
            const had = before[member.name]!;
            const found = after[member.name]!;
            const free = Object.fromEntries(Object.entries(found).filter(([name]) => !(name in contested)));
            this.demand(
                sameEntries(free, wanted),
                `${member.name} has ${JSON.stringify(free)} and should have ${JSON.stringify(wanted)}`,
            );
            for (const [name, outlined] of Object.entries(contested)) {
                this.demand(name in had || !(name in found), `${name} was made in ${member.name} against a stranger`);
                this.demand(
                    had[name] !== outlined || found[name] === outlined,
                    `${name} in ${member.name} was given up to a stranger: ${found[name]}`,
                );
            }
            this.#carriesServices(member, (await member.peers()).filter(isOfMesh));
        }
    }

    /** The services of a source ride on exactly one of its peers. */
    #carriesServices(member: MemberCluster, live: readonly Peer[]): void {
        for (const { name, index } of this.model.clusters) {
            const { serviceCIDR } = clusterNetworks(index);
            const ofSource = live.filter((peer) => peer.metadata.name.startsWith(`edge--${name}--`));
            const carriers = ofSource.filter((peer) => peer.spec?.allowedIPs?.includes(serviceCIDR));
            this.demand(
                carriers.length === Math.min(1, ofSource.length),
                `${carriers.length} peers in ${member.name} carry the services of ${name}`,
            );
        }
    }

    async leftForeignAlone(): Promise<void> {
        const found = new Map<string, string>();
        for (const member of this.members) {
            for (const peer of await member.peers()) {
                const id = `${member.name}/${peer.metadata.name}`;
                if (this.foreign.has(id)) found.set(id, JSON.stringify(peer));
            }
        }
        for (const [id, text] of this.foreign)
            this.demand(found.get(id) === text, `${id}, which is not ours, was touched`);
    }

    /** Everything with our mesh's label is under a claim that the state knows. */
    async knowsWhatIsOurs(): Promise<void> {
        const claims = this.engine.claims();
        for (const member of this.members) {
            for (const peer of (await member.peers()).filter(isOfMesh)) {
                const known = claimOf(peer) === claims[member.name];
                this.demand(known, `${member.name}/${peer.metadata.name} is nobody's`);
            }
        }
    }

    async leftNothing(): Promise<void> {
        for (const member of this.members) {
            const left = (await member.peers()).filter(
                (peer) => !this.foreign.has(`${member.name}/${peer.metadata.name}`),
            );
            this.demand(
                left.length === 0,
                `destroy left ${left.map((peer) => peer.metadata.name).join(", ")} in ${member.name}`,
            );
        }
    }

    #isAboutForeign({ name }: MemberCluster, violation: string): boolean {
        const foreign = this.model.cluster(name).foreign;
        return violation.split(" ").some((word) => foreign.has(word));
    }
}
