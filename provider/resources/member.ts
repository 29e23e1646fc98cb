import type { NodeFacts } from "../kilo/types";
import { DEFAULT_CONCURRENCY, forEachBounded } from "../kube/bounded";
import { mergeFacts } from "../mesh/merge-facts";
import { decodeFacts, encodeFacts } from "../state/facts-text";
import { joinLines, splitLines } from "../state/line-list";
import { CLAIM_LABEL } from "../values/labels";
import { CONNECTION_KEYS, readConnection, withCluster, writeOffOrThrow } from "./connection";
import type { CheckResult, Host, Props, ResourceKind } from "./host";
import { isUnknown, pick, sameOn } from "./props";

/**
 * Stands for one cluster in the stack: our claim on it, and its last known nodes. It writes nothing itself; created
 * before its peer set and deleted after it, it sweeps up whatever an interrupted run left behind under our claim.
 */
const ECHOED = [
    "resource",
    "schemaVersion",
    ...CONNECTION_KEYS,
    "mesh",
    "claim",
    "nodes",
    "allowEmpty",
    "unreachable",
    "unreachableSince",
] as const;

/** The URN only tells where to report; a renamed stack is not a change. */
const COMPARED = ECHOED.filter((key) => key !== "resourceUrn");

const decodeNodes = (text: unknown): NodeFacts[] =>
    Object.entries(splitLines(text)).map(([name, line]) => decodeFacts(name, line));

const encodeNodes = (facts: readonly NodeFacts[]): string =>
    joinLines(Object.fromEntries(facts.map((node) => [node.name, encodeFacts(node)])));

function check(host: Host, olds: Props, news: Props): CheckResult {
    const inputs: Props = { ...news, claim: olds.claim ?? host.newClaim() };
    if (news.unreachable !== undefined) {
        inputs.nodes = olds.nodes ?? "";
        inputs.unreachableSince = olds.unreachableSince ?? host.now().toISOString();
    } else if (news.nodes !== olds.nodes && !isUnknown(news.nodes)) {
        const merged = mergeFacts(decodeNodes(olds.nodes), decodeNodes(news.nodes), {
            allowEmpty: news.allowEmpty === true,
        });
        inputs.nodes = encodeNodes(merged.facts);
    }
    return { inputs, failures: [] };
}

const echo = (inputs: Props): Props => pick(inputs, ECHOED);

async function sweep(host: Host, outs: Props): Promise<void> {
    const connection = readConnection(outs);
    const claim = String(outs.claim ?? "");
    if (claim === "") return;
    try {
        await withCluster(host, connection, async (client) => {
            const left = await client.listPeers({ labelSelector: `${CLAIM_LABEL}=${claim}` });
            await forEachBounded(left, DEFAULT_CONCURRENCY, async ({ metadata }) => {
                await client.deletePeer(metadata.name, metadata.uid);
            });
        });
    } catch (error) {
        writeOffOrThrow(host, connection, "remaining peers", error);
    }
}

export const member: ResourceKind = {
    check,
    diff: (olds, news) => ({ changes: !sameOn(COMPARED, olds, news) }),
    create: async (_host, inputs) => ({ id: `${inputs.mesh}/${inputs.cluster}`, outs: echo(inputs) }),
    read: async (_host, id, outs) => ({ id, props: outs }),
    update: async (_host, _id, _olds, news) => ({ outs: echo(news) }),
    delete: (host, _id, outs) => sweep(host, outs),
};
