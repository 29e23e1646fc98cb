import type { KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { Plan, PlanInput } from "../../../provider/mesh/types";
import fc from "../../support/chance";
import { declaredOf, holds, isInside, meets, RUNS } from "./arbitrary-mesh";
import { applied, atRest, CLAIM, type Reduction, reduce, type Situation, situation } from "./reduced-knowledge";

const SOURCE = "kilo-clustermesh.io/source-cluster";

const oursIn = (peers: readonly KubePeer[] = []): readonly KubePeer[] =>
    peers.filter(({ metadata }) => metadata?.labels?.[CLAIM] !== undefined);

/** Addresses of WireGuard interfaces: the one thing that may be left out on a doubt. */
const isWireguardAddress = (network: string, { clusters }: PlanInput): boolean =>
    network.endsWith("/32") &&
    clusters.some(({ wireguardCIDR, allowedNetworks }, i) =>
        isInside(network, [wireguardCIDR ?? (allowedNetworks === undefined ? [] : `10.${100 + i}.0.0/24`)].flat()),
    );

/** Services and other ranges that belong to no node. */
const isShared = (network: string, { clusters }: PlanInput): boolean =>
    clusters.some(({ serviceCIDR, additionalCIDRs, allowedNetworks }) =>
        isInside(network, [serviceCIDR ?? [], additionalCIDRs ?? [], allowedNetworks?.slice(2) ?? []].flat()),
    );

/** Evidence: another node of the cluster says that the key is its own, and the one that had it no longer does. */
const isPassedOn = (peer: string, source: string, key: string, { nodes }: PlanInput): boolean =>
    (nodes[source] ?? []).some(
        ({ metadata }) =>
            metadata?.annotations?.["kilo.squat.ai/key"] === key && peer !== `m--${source}--${metadata.name}`,
    ) &&
    !(nodes[source] ?? []).some(
        ({ metadata }) =>
            metadata?.annotations?.["kilo.squat.ai/key"] === key && peer === `m--${source}--${metadata.name}`,
    );

/** What a run takes away of what was there: names, networks of a target, and networks of a peer. */
function withdrawn(before: PlanInput, after: Plan): readonly string[] {
    return before.clusters.flatMap(({ name: target }) => {
        if (before.nodes[target] === undefined) return [];
        const planned = after.peers[target] ?? {};
        const routed = new Map<string, string>();
        for (const { labels, spec } of Object.values(planned))
            for (const network of spec.allowedIPs) routed.set(network, labels[SOURCE] ?? "");
        return oursIn(before.livePeers?.[target]).flatMap(({ metadata, spec }) => {
            const name = metadata?.name ?? "";
            const source = metadata?.labels?.[SOURCE];
            const networks = spec?.allowedIPs ?? [];
            // cluster-wide networks move to a fresh node, and a peer that had nothing else goes with them
            const moved = networks.every((network) => isShared(network, before) && routed.get(network) === source);
            if (isPassedOn(name, source ?? "", spec?.publicKey ?? "", before)) return [];
            if (!Object.hasOwn(planned, name) && !moved) return [`${target}: ${name} is gone`];
            return networks.flatMap((network) => {
                if (isWireguardAddress(network, before) || routed.get(network) === source) return [];
                return [`${target}: ${network} of ${name} is gone`];
            });
        });
    });
}

/** One key and one network on one peer of ours, all of them declared and accepted. */
function requireSound({ clusters, livePeers }: PlanInput, { peers }: Plan): void {
    for (const { name: target, acceptedNetworks } of clusters) {
        const planned = Object.entries(peers[target] ?? {});
        const keys = planned.map(([, { spec }]) => spec.publicKey);
        holds(new Set(keys).size === keys.length, "one key on two peers", target, planned, livePeers?.[target]);
        const networks = planned.flatMap(([name, { labels, spec }]) =>
            spec.allowedIPs.map((network) => ({ name, network, source: labels[SOURCE]! })),
        );
        networks.forEach(({ name, network, source }, i) => {
            const spec = clusters.find((cluster) => cluster.name === source)!;
            holds(isInside(network, declaredOf(spec)), "not declared", target, name, network);
            holds(acceptedNetworks === undefined || isInside(network, acceptedNetworks), "not accepted", name, network);
            const twin = networks.slice(i + 1).find((other) => meets(other.network, network));
            holds(twin === undefined, "one network on two peers", target, name, network, twin?.name);
        });
    }
}

interface Case {
    readonly input: PlanInput;
    readonly reductions: readonly Reduction[];
}

const caseOf = ({ mesh, reductions }: Situation): Case => ({ input: atRest(mesh).input, reductions });

const cases = fc.sample(situation, { numRuns: RUNS }).map(caseOf);

/** Both promises are held against the same meshes. What fails is then shrunk. */
function check(promised: (found: Case) => void): void {
    try {
        cases.forEach(promised);
    } catch (error) {
        fc.assert(
            fc.property(situation, (found) => promised(caseOf(found))),
            { numRuns: RUNS },
        );
        throw error;
    }
}

test("nothing is withdrawn but a WireGuard address, whatever a run does not know", () => {
    check(({ input, reductions }) => {
        const blind = reduce(input, reductions);
        const plan = planMesh(blind);
        requireSound(blind, plan);
        const gone = withdrawn(blind, plan);
        holds(gone.length === 0, gone.join("; "), reductions, plan.skipped);
    });
});

test("when knowledge returns a run comes to what full knowledge gives, and the one after it does nothing", () => {
    check(({ input, reductions }) => {
        const blind = reduce(input, reductions);
        const less = planMesh(blind);
        const back: PlanInput = { ...input, livePeers: applied(blind, less), lastKnown: less.facts };
        const plan = planMesh(back);
        requireSound(back, plan);
        const next = planMesh({ ...back, livePeers: applied(back, plan), lastKnown: plan.facts });
        holds(JSON.stringify(next.peers) === JSON.stringify(plan.peers), "not idle", reductions, plan, next);
    });
});
