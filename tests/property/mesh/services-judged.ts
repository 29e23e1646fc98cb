import type { KiloModel } from "../../support/kilo-model/kilo-model";
import { isInside } from "./arbitrary-mesh";
import type { DeclaredMesh } from "./declared-mesh";

/** Services are reached from where their cluster is joined and accepted, and from nowhere else. */
export function servicesJudged({ declaration, services, nodes }: DeclaredMesh, model: KiloModel): readonly object[] {
    const { links, acceptedNetworks = {}, meshed = {}, podIPs = {} } = declaration;
    const isLinked = (a: string, b: string): boolean =>
        links === "all" || links.some(([x, y]) => (x === a && y === b) || (x === b && y === a));
    const accepts = (cluster: string, address: string): boolean =>
        acceptedNetworks[cluster]?.some((cidr) => isInside(`${address}/32`, [cidr])) ?? true;
    const takingPart = (cluster: string): readonly string[] => {
        const notReady = model.notReady(cluster);
        return meshed[cluster]!.filter((node) => !(node in notReady));
    };
    return Object.entries(services).flatMap(([owner, service]) => {
        const isServed = takingPart(owner).length > 0;
        const others = Object.keys(nodes).filter((name) => name !== owner);
        return others.flatMap((cluster) =>
            takingPart(cluster).flatMap((node) => {
                const [pod] = podIPs[cluster]![node]!;
                const isJoined = isLinked(cluster, owner) && accepts(cluster, service) && accepts(owner, pod!);
                const reach = model.reach({ cluster, node, address: pod! }, { cluster: owner, address: service });
                const isRight = isJoined ? reach.ok || !isServed : !reach.ok;
                return isRight ? [] : [{ cluster, node, owner, isJoined, reach }];
            }),
        );
    });
}
