import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { Plan } from "../../../provider/mesh/types";
import type { ClusterObjects } from "../../support/kilo-model/objects";
import { holds } from "./arbitrary-mesh";
import type { DeclaredMesh } from "./declared-mesh";

/** The plan as the API servers would have it. */
export function objectsOf(
    { input, nodes }: Pick<DeclaredMesh, "input" | "nodes">,
    plan: typeof planMesh = planMesh,
): Readonly<Record<string, ClusterObjects>> {
    const { peers, issues } = plan(input);
    const errors = issues.filter(({ severity }) => severity === "error");
    holds(errors.length === 0, "errors", errors);
    return Object.fromEntries(
        Object.entries(nodes).map(([name, own]) => [name, { nodes: own, peers: peerObjects(peers[name] ?? {}) }]),
    );
}

const peerObjects = (planned: Plan["peers"][string]): ClusterObjects["peers"] =>
    Object.entries(planned).map(([name, { labels, spec }]) => ({ metadata: { name, labels }, spec }));
