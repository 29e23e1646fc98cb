import type { KubeNode } from "../../../../provider/kilo/types";
import { publicKey } from "../../../../tools/clusters/node-spec";
import { annotated, healthy, NOW, type Scenario, withCluster } from "./scenario";

const DISCOVERED = "kilo.squat.ai/discovered-endpoints";
const NODES = ["hub", "berlin", "tokyo"].flatMap((cluster) => [1, 2, 3].map((n) => `${cluster}-n${n}`));

const keyOf = (node: string): string => publicKey(node.split("-")[0]!, node);

/** The scenario in which the pairs of nodes for which `isSilent` holds never had a handshake. */
export function silenced(scenario: Scenario, isSilent: (node: string, other: string) => boolean): Scenario {
    const forget = (node: KubeNode): KubeNode => {
        const name = node.metadata!.name!;
        const seen = JSON.parse(node.metadata?.annotations?.[DISCOVERED] ?? "{}") as Record<string, unknown>;
        const lost = NODES.filter((other) => isSilent(name, other) || isSilent(other, name)).map(keyOf);
        const left = Object.entries(seen).filter(([key]) => !lost.includes(key));
        return annotated(node, { [DISCOVERED]: JSON.stringify(Object.fromEntries(left)) });
    };
    return scenario.mesh.clusters.reduce(
        (all, { name }) => withCluster(all, name, (found) => ({ ...found, nodes: found.nodes.map(forget) })),
        scenario,
    );
}

/** A firewall dropped all UDP packets of hub-n2 from the start. */
export const blocked = (): Scenario => silenced(healthy(), (node) => node === "hub-n2");

/** It does so since a minute ago. Kilo forgets no handshake while it does not reconfigure, so nothing shows it. */
export const blockedLater = (): Scenario => healthy();

/** berlin is one location; its leader is dead since five minutes ago, and no `pulumi up` ran since. */
export function staleLeader(): Scenario {
    const granularity = "location";
    const node = Object.fromEntries([1, 2, 3].map((n) => [`berlin-n${n}`, { granularity }]));
    const followers = ["berlin-n2", "berlin-n3"];
    const before = silenced(healthy({ node }), (each) => followers.includes(each));
    return withCluster(before, "berlin", (found) => ({
        ...found,
        nodes: found.nodes.map((each) =>
            each.metadata?.name === "berlin-n1"
                ? annotated(each, { "kilo.squat.ai/last-seen": String(NOW - 300) })
                : each,
        ),
    }));
}

/** In berlin somebody deleted the peer that stands for hub-n1. Agents there were reconfigured by it. */
export const noWayBack = (): Scenario =>
    withCluster(
        silenced(healthy(), (node, other) => node === "hub-n1" && other.startsWith("berlin-")),
        "berlin",
        (found) => ({ ...found, peers: found.peers.filter(({ name }) => name !== "global--hub--hub-n1") }),
    );

/** tokyo is behind NAT, and its nodes have nothing that makes them dial. */
export const passiveNat = (): Scenario =>
    silenced(healthy({ specs: { tokyo: { nat: true } } }), (node, other) =>
        [node, other].some((each) => each.startsWith("tokyo-")),
    );
