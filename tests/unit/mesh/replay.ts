import type { KubeNode, PeerSpec } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan } from "../../../provider/mesh/types";
import { key } from "../../support/keys";

/** One of the cases of the Go operator, restated. */
export interface Case {
    readonly id: string;
    readonly area: string;
    readonly name: string;
    readonly input: unknown;
    readonly expected: unknown;
}

export type Replays = Readonly<Record<string, (given: Case) => void>>;

export interface Forms {
    readonly typed: ClusterSpec;
    readonly flat: ClusterSpec;
}

export interface CasePeer {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly spec: PeerSpec;
}

export interface CaseNode {
    readonly name: string;
    readonly podCIDRs: readonly string[];
    readonly annotations: Readonly<Record<string, string>>;
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
}

/** A replay of one area, with the shape that its cases have. */
export function replay<I, E>(run: (input: I, expected: E) => void): (given: Case) => void {
    return ({ input, expected }) => run(input as I, expected as E);
}

export const KILO = "kilo.squat.ai/";
export const TARGET: ClusterSpec = { name: "the-target", podCIDRs: ["172.31.0.0/16"] };

/** Deliberate difference: keys must be 32 bytes of base64 and not zero, so the short and zero ones are replaced. */
export function kube(node: CaseNode, seed = 1): KubeNode {
    const annotations: Record<string, string> = { ...node.annotations, [`${KILO}granularity`]: "full" };
    if (annotations[`${KILO}key`]) annotations[`${KILO}key`] = key(seed);
    return {
        metadata: { name: node.name, annotations },
        spec: { podCIDRs: node.podCIDRs },
        status: { addresses: node.addresses },
    };
}

export function planInto(
    cluster: ClusterSpec,
    nodes: readonly KubeNode[],
    mesh = "mesh",
    targetNodes: KubeNode[] = [],
): Plan {
    return planMesh({
        mesh,
        clusters: [cluster, TARGET],
        nodes: { [cluster.name]: nodes, [TARGET.name]: targetNodes },
    });
}

export const errors = (plan: Pick<Plan, "issues">) => plan.issues.filter(({ severity }) => severity === "error");
