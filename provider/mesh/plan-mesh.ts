import { readDiscovered } from "../kilo/observations";
import { isUsableName, readNodes, uniqueByName } from "../kilo/read-nodes";
import type { NodeFacts } from "../kilo/types";
import { decodeFacts, encodeFacts } from "../state/facts-text";
import { few, shown } from "../values/show";
import { guarded, isRecord, list, own } from "../values/untrusted";
import { checkShape } from "./args/schema";
import { checkMesh, definedOnly, UNREADABLE } from "./args/validate";
import { type MergedFacts, mergeFacts } from "./merge-facts";
import { isLabelValue } from "./names";
import { emptyPlan, planModels } from "./plan/plan";
import { hasErrors, issue, sortIssues } from "./report/findings";
import type { ClusterSpec, FactsInput, Issue, MeshSpec, Plan, PlanInput } from "./types";

/**
 * The whole plan from arguments, nodes and live peers as an API server returns them. It never throws: bad data from a
 * cluster costs the node that has it, bad arguments give issues and no peers.
 */
export function planMesh(input: PlanInput): Plan {
    const { adopted: _, ...plan } = guarded(planUntrusted, input) ?? emptyPlan([UNREADABLE]);
    return plan;
}

function planUntrusted(input: unknown): ReturnType<typeof planModels> {
    const args = ["mesh", "clusters", "topology", "adopt", "peerWarning"] as const;
    const shape = checkShape(Object.fromEntries(args.map((key) => [key, own(input, key)])), false);
    const checked = checkMesh(shape.known, { allowSingle: true }, shape.broken);
    const claims = readClaims(own(input, "claims"));
    const issues = sortIssues([...shape.issues, ...checked.issues, ...claims.issues]);
    if (hasErrors(issues)) return emptyPlan(issues);

    const mesh = definedOnly(shape.known) as MeshSpec;
    const now = own(input, "now");
    const given = {
        ...mesh,
        claims: claims.claims,
        livePeers: own(input, "livePeers") as NonNullable<FactsInput["livePeers"]>,
        unresolvable: list(own(input, "unresolvable")).filter((name) => typeof name === "string"),
    };
    return planModels(given, checked.networks, (cluster) => {
        const nodes = list(own(own(input, "nodes"), cluster.name));
        const fresh = readNodes(nodes, cluster, typeof now === "number" ? now : undefined);
        const last = readLastKnown(own(own(input, "lastKnown"), cluster.name));
        const merged = mergeFacts(last, fresh, { allowEmpty: cluster.allowEmpty === true });
        return { facts: merged.facts, observed: readDiscovered(nodes), issues: keptIssues(cluster, merged) };
    });
}

/** A claim is written as a label on every object: one that cannot be a label would make every write fail. */
function readClaims(claims: unknown): { readonly claims: Record<string, string>; readonly issues: readonly Issue[] } {
    const read: Record<string, string> = {};
    const issues: Issue[] = [];
    for (const [target, claim] of Object.entries(isRecord(claims) ? claims : {})) {
        if (typeof claim === "string" && (claim === "" || isLabelValue(claim))) read[target] = claim;
        else if (claim !== undefined) {
            const message = `the claim ${shown(claim)} of ${shown(target)} cannot be a label`;
            issues.push(issue("error", "ClaimInvalid", "claims", message, "pass the claim as the member was given it"));
        }
    }
    return { claims: read, issues };
}

/** From state, but bounded and typed like fresh facts: what was written by an older version may be anything. */
function readLastKnown(facts: unknown): readonly NodeFacts[] {
    return uniqueByName(
        list(facts).flatMap((node) => {
            const name = own(node, "name");
            if (!isUsableName(name)) return [];
            return guarded((facts) => decodeFacts(name, encodeFacts(facts)), node as NodeFacts) ?? [];
        }),
    );
}

function keptIssues({ name }: ClusterSpec, { facts, keptAll, keptNodes }: MergedFacts): readonly Issue[] {
    if (keptAll) {
        const nodes = few(facts.map((node) => shown(node.name)));
        return [
            issue(
                "warning",
                "ClusterEmpty",
                name,
                `${shown(name)} lists no nodes any more: its last known ones (${nodes}) are kept`,
                "set allowEmpty: true on the cluster if it is meant to be empty",
            ),
        ];
    }
    if (keptNodes.length === 0) return [];
    return [
        issue(
            "info",
            "NodeFactsKept",
            name,
            `Kilo's annotations are gone from ${few(keptNodes.map(shown))} of ${shown(name)}: what was last known is used`,
            "nothing, if Kilo is being restarted there; otherwise look why it does not run on them",
        ),
    ];
}
