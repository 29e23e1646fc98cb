import type { KubeErrorKind } from "../provider/kube/errors/kube-error";
import type { Unseen } from "../provider/mesh/knowledge";
import type { Fix } from "../provider/values/fix";
import type { Assessment } from "./assess";

/** A cluster in a few words. */
export type MemberView =
    | {
          readonly name: string;
          readonly state: "seen";
          /** Its nodes and peers could be read. */
          readonly answers: true;
          readonly nodes: number;
          /** Of its nodes; `mixed` or `unknown` where they do not agree or do not say. */
          readonly granularity: string;
          /** Nodes that are left out of the mesh everywhere. */
          readonly skipped: number;
      }
    | {
          readonly name: string;
          /** `silent`: it gave no answer. `unusable`: it answers, but a person must act. */
          readonly state: Unseen["state"];
          readonly answers: false;
          readonly kind: KubeErrorKind;
          readonly message: string;
          readonly fix: Fix;
      };

/** In the order of the mesh file. */
export function members({ mesh, sight, plan }: Assessment): readonly MemberView[] {
    return mesh.clusters.map(({ name }): MemberView => {
        const seen = sight.clusters[name]!;
        if (seen.state !== "seen") {
            const { kind, message, fix } = seen.found;
            return { name, state: seen.state, answers: false, kind, message, fix };
        }
        const nodes = plan.facts[name] ?? [];
        const skipped = plan.skipped.filter(({ cluster, target }) => cluster === name && target === undefined);
        return {
            ...{ name, state: "seen", answers: true },
            nodes: nodes.length,
            granularity: oneOf(nodes.map(({ granularity }) => granularity)),
            skipped: skipped.length,
        };
    });
}

function oneOf(values: readonly (string | undefined)[]): string {
    const distinct = new Set(values);
    if (distinct.size > 1) return "mixed";
    return [...distinct][0] ?? "unknown";
}

export const KIND_WORDS: Readonly<Record<KubeErrorKind, string>> = {
    unreachable: "unreachable",
    unauthorized: "not signed in",
    forbidden: "forbidden",
    "crd-missing": "no Peer kind",
    config: "bad kubeconfig",
    "not-found": "not found",
    throttled: "throttled",
    server: "server error",
    "already-exists": "conflict",
    conflict: "conflict",
    invalid: "invalid",
};
