import { concurrencyFor, forEachBounded } from "../kube/bounded";
import { type Knowledge, mergeNodes, recordable } from "../mesh/knowledge";
import { decodeNodes, encodeNodes } from "../state/facts-text";
import { claimOfId, memberId } from "../state/member-id";
import type { Fix } from "../values/fix";
import { CLAIM_LABEL } from "../values/labels";
import { isUnknown } from "../values/unknown";
import { CONNECTION_KEYS, credentialsToRecord, readConnection, withCluster } from "./connection";
import { writeOffOrThrow } from "./debts";
import type { CheckResult, Host, Props, ResourceKind } from "./host";
import { knownOr, optionalText, pick, sameOn } from "./props";

/**
 * Stands for one cluster in the stack: our claim on it, its identity, and its last known nodes. It writes nothing itself;
 * created before its peer set and deleted after it, it sweeps up whatever an interrupted run left behind under our claim.
 */
const RECORDED = [
    "resource",
    "schemaVersion",
    ...CONNECTION_KEYS,
    "mesh",
    "nodes",
    "allowEmpty",
    "unreachable",
    "unreachableSince",
    "unusable",
    "unusableFix",
    "unusableSince",
] as const;
const ECHOED = [...RECORDED, "claim"] as const;

/** The URN only tells where to report; a renamed stack is not a change. The claim is made once and never given. */
const COMPARED = RECORDED.filter((key) => key !== "resourceUrn");

/** What is not known in this run keeps what was known, credentials too. What is returned reaches the program as outputs. */
function check(host: Host, olds: Props, news: Props): CheckResult {
    const { rebuilt, twin, ...given } = news;
    // 0.1.0 recorded the claim in the inputs
    const claim = olds.claim === undefined ? {} : { claim: olds.claim };
    if (isUnknown(news.nodes) || isUnknown(news.unreachable) || isUnknown(news.unusable)) {
        return { inputs: { ...given, ...claim, ...pick(olds, ["identity", "neverSeen"]) }, failures: [] };
    }
    const stranger = news.unreachable === undefined && news.unusable === undefined ? judge(olds, news) : undefined;
    const unusable = optionalText(news.unusable) ?? stranger?.reason;
    const isSeen = news.unreachable === undefined && unusable === undefined;
    const since = (key: string): string => optionalText(olds[key]) ?? host.now().toISOString();
    // always there: a preview knows what is an input, and nothing else
    const neverSeen = !isSeen && (olds.cluster === undefined || olds.neverSeen === true);
    const inputs: Props = { identity: "", ...credentialsToRecord(olds, given, isSeen), ...claim, neverSeen };
    if (!isSeen) {
        inputs.nodes = encodeNodes(decodeNodes(olds.nodes));
        inputs.identity = olds.identity ?? "";
        if (unusable === undefined) inputs.unreachableSince = since("unreachableSince");
        else {
            const fix = optionalText(news.unusableFix) ?? stranger?.fix;
            Object.assign(inputs, { unusable, unusableFix: fix, unusableSince: since("unusableSince") });
        }
        return { inputs, failures: [] };
    }
    if (news.identity === undefined && optionalText(olds.identity) !== undefined) {
        inputs.identity = olds.identity;
        host.reporter(optionalText(news.resourceUrn)).warn(
            "which cluster this is cannot be read any more (get namespaces/kube-system is not allowed): it is taken for the recorded one. Apply rbac.yaml of this package (node_modules/pulumi-kilo-clustermesh/docs/rbac.yaml) there again.",
        );
    }
    const recorded = optionalText(olds.identity);
    const isRebuilt = recorded !== undefined && inputs.identity !== recorded;
    if (news.nodes !== olds.nodes || isRebuilt) {
        const seen: Knowledge = { state: "seen", nodes: decodeNodes(news.nodes), peers: [], observed: {} };
        const last = isRebuilt ? [] : decodeNodes(olds.nodes);
        const { nodes } = mergeNodes(last, seen, { allowEmpty: news.allowEmpty === true });
        inputs.nodes = encodeNodes(nodes.map(recordable));
    }
    return { inputs, failures: [] };
}

/** Whether the cluster that answered is another than it should be. */
function judge(olds: Props, { identity, rebuilt, twin, cluster }: Props): { reason: string; fix: Fix } | undefined {
    const recorded = optionalText(olds.identity);
    if (identity === undefined || identity === recorded) return undefined;
    if (twin !== undefined) {
        return {
            reason: `cluster ${cluster}: it is the same cluster as ${twin} (kube-system ${identity})`,
            fix: "Remove one of the two from the mesh, or correct its kubeconfig",
        };
    }
    if (recorded === undefined || rebuilt === identity) return undefined;
    return {
        reason: `cluster ${cluster}: another cluster answers (kube-system ${identity}) than the recorded one (${recorded})`,
        fix: `Correct its kubeconfig; if the cluster was rebuilt, set rebuilt: "${identity}" on it, or KILO_CLUSTERMESH_REBUILT=${cluster}=${identity} for one run`,
    };
}

const claimOf = (id: string, outs: Props): string => claimOfId(id) ?? optionalText(outs.claim) ?? "";

async function sweep(host: Host, id: string, outs: Props): Promise<void> {
    const connection = readConnection(outs);
    const claim = claimOf(id, outs);
    if (claim === "" || connection.neverSeen) return;
    try {
        const held = await withCluster(host, connection, async (client) => {
            const left = await client.listPeers({ labelSelector: `${CLAIM_LABEL}=${claim}` });
            const terminating: string[] = [];
            await forEachBounded(left, concurrencyFor(left.length), async ({ name, uid }) => {
                const outcome = await client.deletePeer(name, uid);
                if (typeof outcome === "object") terminating.push(`${name} (${outcome.terminating.join(", ")})`);
            });
            return terminating.sort();
        });
        if (held.length === 0) return;
        throw new Error(
            `peers in ${connection.cluster} are still there, held by finalizers: ${held.join("; ")}. ` +
                "Find out who should remove these finalizers, then run the command again.",
        );
    } catch (error) {
        writeOffOrThrow(host, connection, "remaining peers", error);
    }
}

export const member: ResourceKind = {
    check,
    diff: (olds, news) => ({ changes: !sameOn(COMPARED, olds, news) }),
    create: async (host, inputs) => {
        const claim = host.newId();
        const known = knownOr({ nodes: "" }, inputs);
        return { id: memberId(inputs.mesh, inputs.cluster, claim), outs: { ...pick(known, ECHOED), claim } };
    },
    read: async (_host, id, outs) => ({ id, props: outs }),
    update: async (_host, id, olds, news) => ({
        outs: { ...pick(knownOr(olds, news), ECHOED), claim: claimOf(id, olds) },
    }),
    delete: sweep,
};
