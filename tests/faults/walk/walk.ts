import type { ClusterSpec } from "../../../provider/mesh/types";
import { decodeLedger } from "../../../provider/state/ledger";
import { CLAIM_LABEL, MESH_LABEL } from "../../../provider/values/labels";
import { clusterNetworks } from "../../../tools/clusters/networks";
import { publicKey } from "../../../tools/clusters/node-spec";
import { isOfMesh as isOurs, type MemberCluster, type Peer } from "../../support/engine/member-cluster";
import type { MiniEngine, Program, Run } from "../../support/engine/mini-engine";
import { key } from "../../support/keys";
import { dieAt } from "../support/crash";
import { Judge } from "./judge";
import { type ForeignPeer, freshNode, Model, type ModelCluster, numberOf } from "./model";
import type { Step } from "./steps";
import type { Tally } from "./tally";
import { Tunnels } from "./tunnels";

const MOST_NODES = 4;

export interface WalkSettings {
    /** Of each cluster, at the beginning. */
    readonly nodes: number;
    readonly requestTimeout: number;
    readonly tally: Tally;
    readonly grouped?: boolean;
}

/** Takes steps over clusters, double or real, and says where something is not as the model has it. */
export class Walk {
    readonly model: Model;
    taken = 0;
    /** Foreign peers as they were made, `cluster/name` → text. */
    readonly #foreign = new Map<string, string>();
    readonly #judge: Judge;
    readonly #tunnels: Tunnels;
    #serial = 0;

    constructor(
        private readonly members: readonly MemberCluster[],
        private readonly engine: MiniEngine,
        private readonly settings: WalkSettings,
    ) {
        this.model = Model.of(
            members.map(({ name }) => name),
            settings.nodes,
        );
        const demand = (holds: boolean, what: string): void => this.#demand(holds, what);
        this.#judge = new Judge(members, this.model, engine, this.#foreign, demand);
        this.#tunnels = new Tunnels(members, this.model, settings.tally, demand);
    }

    async start(): Promise<void> {
        for (const { name, nodes } of this.model.clusters)
            for (const node of nodes.keys()) await this.#putNode(name, node);
    }

    async take(step: Step): Promise<void> {
        this.taken += 1;
        await this.#act(step);
        await this.#judge.nothingClashed();
    }

    async #act(step: Step): Promise<void> {
        switch (step.do) {
            case "up":
            case "refresh":
            case "destroy":
                return this.#run(step);
            case "leave or join":
                return this.#leaveOrJoin(step.at);
            case "link":
                this.model.shape = step.shape;
                return;
            case "foreign peer":
                return this.#addForeign(step.at, step.which, step.takes);
            case "foreign peer goes":
                return this.#removeForeign(step.at, step.which);
            case "hand edit":
                return this.#edit(step.at, step.which, step.edit);
            default:
                return this.#changeNodes(step.do, this.#member(step.at), step.which);
        }
    }

    /** The end of every walk: a run without faults, a run that does nothing, and nothing left. */
    async finish(): Promise<void> {
        await this.#run({ do: "up" });
        const { failures } = await this.engine.destroy();
        this.#demand(failures.length === 0, `the last destroy failed: ${failures.join("; ")}`);
        await this.#judge.leftNothing();
    }

    program(): Program {
        const topology = this.model.topology();
        const members = this.members.filter(({ name }) => this.model.members.has(name));
        return {
            mesh: "edge",
            requestTimeout: this.settings.requestTimeout,
            grouped: this.settings.grouped ?? false,
            clusters: members.map(({ name, index, proxy }): ClusterSpec => {
                const { podCIDR, wireguardCIDR, serviceCIDR } = clusterNetworks(index);
                return { name, kubeconfig: proxy.kubeconfig, podCIDRs: [podCIDR], wireguardCIDR, serviceCIDR };
            }),
            ...(topology === undefined ? {} : { topology }),
        };
    }

    async #run(step: Extract<Step, { do: "up" | "refresh" | "destroy" }>): Promise<void> {
        this.#prepareFaults(step);
        const before = await this.#judge.outlines();
        if (step.do !== "destroy") await this.#tunnels.begin();
        const run = await this.#operate(step.do);
        this.#tunnels.end();
        for (const { proxy } of this.members) proxy.clear();
        await this.#judge.leftForeignAlone();
        await this.#judge.knowsWhatIsOurs();
        const calm = !("at" in step) && !("crashAtWrite" in step);
        if (!calm) return;
        this.#demand(run.failures.length === 0, `${step.do} failed without a fault: ${run.failures.join("; ")}`);
        if (step.do === "destroy") await this.#judge.leftNothing();
        if (step.do !== "up") return;
        await this.#judge.hasModel(before);
        await this.#tunnels.asDeclared();
        const idle = await this.engine.up(this.program());
        this.#demand(idle.changes.length === 0, `the next up was not idle: ${idle.changes.join(", ")}`);
    }

    #operate(what: "up" | "refresh" | "destroy"): Promise<Run> {
        return what === "up" ? this.engine.up(this.program()) : this.engine[what]();
    }

    #prepareFaults(step: Extract<Step, { do: "up" | "refresh" | "destroy" }>): void {
        if ("at" in step) {
            let seen = 0;
            const { fault, request, stubborn } = step;
            const when = () => ++seen >= request;
            this.#member(step.at).proxy.inject({ fault, when, ...(stubborn ? {} : { times: 1 }) });
        }
        if ("crashAtWrite" in step) {
            const when = step.done ? "after it is done" : "before it is done";
            dieAt({ write: step.crashAtWrite, when }, this.members, this.engine);
        }
    }

    #demand(holds: boolean, what: string): void {
        if (!holds) throw new Error(`step ${this.taken}: ${what}`);
    }

    #member(at: number): MemberCluster {
        return this.members[at % this.members.length]!;
    }

    async #putNode(cluster: string, name: string): Promise<void> {
        const { key: publicKey, endpoint, podCIDR } = this.model.cluster(cluster).nodes.get(name)!;
        const member = this.members.find((each) => each.name === cluster)!;
        await member.putNode({ name, key: publicKey, endpoint, podCIDRs: [podCIDR] });
    }

    async #changeNodes(what: string, member: MemberCluster, which: number): Promise<void> {
        const cluster = this.model.cluster(member.name);
        const names = [...cluster.nodes.keys()];
        const name = names[which % names.length]!;
        const node = cluster.nodes.get(name)!;
        if (what === "add node") return this.#addNode(member, cluster);
        if (what === "remove node") {
            // A cluster without any node keeps its last ones; that is tested elsewhere.
            if (names.length === 1) return;
            cluster.nodes.delete(name);
            return member.deleteNode(name);
        }
        if (what === "renew key")
            cluster.nodes.set(name, { ...node, key: publicKey(member.name, `renewed-${++this.#serial}`) });
        if (what === "move endpoint")
            cluster.nodes.set(name, { ...node, endpoint: `203.0.113.${(++this.#serial % 250) + 1}:51820` });
        if (what === "swap networks") {
            const other = names[(which + 1) % names.length]!;
            const otherNode = cluster.nodes.get(other)!;
            cluster.nodes.set(name, { ...node, podCIDR: otherNode.podCIDR });
            if (other !== name) cluster.nodes.set(other, { ...otherNode, podCIDR: node.podCIDR });
            await this.#putNode(member.name, other);
        }
        await this.#putNode(member.name, name);
    }

    async #addNode(member: MemberCluster, cluster: ModelCluster): Promise<void> {
        if (cluster.nodes.size >= MOST_NODES) return;
        const networks = new Set([...cluster.nodes.values()].map(({ podCIDR }) => podCIDR));
        // Its network may be that of a node which has just gone.
        const number = [1, 2, 3, 4, 5, 6, 7, 8].find(
            (n) =>
                !cluster.nodes.has(`${member.name}-n${n}`) &&
                !networks.has(freshNode(member.name, member.index, n).podCIDR),
        );
        if (number === undefined) return;
        const name = `${member.name}-n${number}`;
        cluster.nodes.set(name, freshNode(member.name, member.index, numberOf(name)));
        await this.#putNode(member.name, name);
    }

    async #leaveOrJoin(at: number): Promise<void> {
        const { name } = this.#member(at);
        if (!this.model.members.has(name)) this.model.members.add(name);
        else if (this.model.members.size > 2) this.model.members.delete(name);
    }

    async #addForeign(at: number, which: number, takes: "key" | "network" | "name" | "nothing"): Promise<void> {
        const member = this.#member(at);
        const other = this.model.clusters[(at + 1) % this.model.clusters.length]!;
        const [node, facts] = [...other.nodes][which % other.nodes.size]!;
        const serial = ++this.#serial;
        const name = takes === "name" ? `edge--${other.name}--${node}` : `foreign-${serial}`;
        if ((await member.peers()).some((peer) => peer.metadata.name === name)) return;
        await this.#foreignPeer(member, name, {
            publicKey: takes === "key" ? facts.key : key(10_000 + serial),
            allowedIPs: [takes === "network" ? facts.podCIDR : `10.250.${serial >> 8}.${serial & 255}/32`],
        });
    }

    async #foreignPeer(member: MemberCluster, name: string, spec: ForeignPeer): Promise<void> {
        await member.createPeer(name, { ...spec });
        this.model.cluster(member.name).foreign.set(name, spec);
        const made = (await member.peers()).find((peer) => peer.metadata.name === name);
        this.#foreign.set(`${member.name}/${name}`, JSON.stringify(made));
    }

    async #removeForeign(at: number, which: number): Promise<void> {
        const member = this.#member(at);
        const { foreign } = this.model.cluster(member.name);
        const name = [...foreign.keys()][which % Math.max(1, foreign.size)];
        if (name === undefined) return;
        foreign.delete(name);
        this.#foreign.delete(`${member.name}/${name}`);
        await member.deletePeer(name);
    }

    async #edit(at: number, which: number, edit: Extract<Step, { do: "hand edit" }>["edit"]): Promise<void> {
        const member = this.#member(at);
        const ours = (await member.peers()).filter(isOurs);
        const peer = ours[which % Math.max(1, ours.length)];
        if (peer === undefined) return;
        const { name } = peer.metadata;
        if (edit === "keepalive") return member.patchPeer(name, { spec: { persistentKeepalive: 7 } });
        if (edit === "endpoint")
            return member.patchPeer(name, { spec: { endpoint: { dnsOrIP: { ip: "203.0.113.254" }, port: 1 } } });
        if (edit === "shrink")
            return member.patchPeer(name, { spec: { allowedIPs: peer.spec?.allowedIPs?.slice(0, 1) } });
        if (edit === "labels") return this.#stripLabels(member, peer);
        await member.deletePeer(name);
        if (edit === "recreate") {
            const serial = ++this.#serial;
            await this.#foreignPeer(member, name, {
                publicKey: key(10_000 + serial),
                allowedIPs: [`10.250.${serial >> 8}.${serial & 255}/32`],
            });
        }
    }

    /** Only where the ledger knows the object: without ledger and labels nothing says that it is ours. */
    async #stripLabels(member: MemberCluster, { metadata }: Peer): Promise<void> {
        if (decodeLedger(this.engine.ledgerOf(member.name)).get(metadata.name)?.uid !== metadata.uid) return;
        await member.patchPeer(metadata.name, { metadata: { labels: { [CLAIM_LABEL]: null, [MESH_LABEL]: null } } });
    }
}
