import { planMesh } from "../../../provider/mesh/plan-mesh";
import fc from "../../support/chance";
import { judge } from "../../support/kilo-model/judge";
import { type KiloModel, kiloModel } from "../../support/kilo-model/kilo-model";
import { holds, isInside, RUNS } from "./arbitrary-mesh";
import { type DeclaredMesh, declaredMesh } from "./declared-mesh";

/** The plan as the API servers would have it. */
function objectsOf({ input, nodes }: DeclaredMesh) {
    const { peers, issues } = planMesh(input);
    const errors = issues.filter(({ severity }) => severity === "error");
    holds(errors.length === 0, "errors", errors);
    return Object.fromEntries(
        Object.entries(nodes).map(([name, own]) => {
            const written = Object.entries(peers[name] ?? {});
            return [
                name,
                { nodes: own, peers: written.map(([peer, { spec }]) => ({ metadata: { name: peer }, spec })) },
            ];
        }),
    );
}

test("of any mesh Kilo makes just what its program declares: these pods reach each other both ways, no others do", () => {
    fc.assert(
        fc.property(declaredMesh, (mesh) => {
            const clusters = objectsOf(mesh);
            const model = kiloModel(clusters, mesh.options);
            const found = judge({ clusters, declaration: mesh.declaration, options: mesh.options, model });
            holds(found.length === 0, `${found.length} violations, the first of them`, found[0], mesh.input);
            const wrong = servicesJudged(mesh, model);
            holds(wrong.length === 0, "services", wrong[0], mesh.input);
        }),
        { numRuns: RUNS },
    );
});

/** Services are reached from where their cluster is joined and accepted, and from nowhere else. */
function servicesJudged({ declaration, services, nodes }: DeclaredMesh, model: KiloModel): readonly object[] {
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
