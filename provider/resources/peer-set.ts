import { KubeError } from "../kube/errors/kube-error";
import type { LivePeer } from "../kube/objects";
import { decodeLedger, digestOf, encodeLedger, entryOf, type Ledger } from "../state/ledger";
import { formChange, shapePeers, wantedPeers } from "../state/peer-inputs";
import { lineOfLive } from "../state/peer-text";
import { CLAIM_LABEL, MESH_LABEL, SOURCE_LABEL } from "../values/labels";
import { applyWrites, thousands } from "./apply-writes";
import { CONNECTION_KEYS, readConnection, withCluster, writeOffOrThrow } from "./connection";
import { type CheckResult, type Host, PartialFailure, type Props, type ReadResult, type ResourceKind } from "./host";
import { livePeers } from "./list-peers";
import { isLabelled, type Ownership } from "./peer-object";
import { isRecord, isUnknown, pick, sameOn, textMap } from "./props";
import { planWrites } from "./writes";

/**
 * Owns all our peers in one target. Inputs: `peers` (a line each, by source cluster), and what the
 * program saw in the cluster: `repair` (live peers that are not what we wrote), `adopt` (peers to take over).
 */
const ECHOED = ["resource", "schemaVersion", ...CONNECTION_KEYS, "mesh", "claim", "owner"] as const;

/** Where to report, and who owns it in words: worth recording, not worth an update. */
const COMPARED = ECHOED.filter((key) => key !== "resourceUrn" && key !== "owner");

const ownershipOf = (props: Props): Ownership => ({
    mesh: String(props.mesh ?? ""),
    claim: String(props.claim ?? ""),
    owner: String(props.owner ?? ""),
});

function check(host: Host, olds: Props, news: Props): CheckResult {
    const inputs: Props = { ...news };
    if (news.pending !== undefined) {
        // The target does not answer: the set stays as it was, and the difference is found again by a later run.
        inputs.peers = olds.peers ?? {};
        delete inputs.repair;
        delete inputs.adopt;
    } else if (!isUnknown(news.peers)) {
        inputs.peers = shapePeers(olds.peers, news.peers);
        const note = formChange(olds.peers, inputs.peers);
        if (note !== undefined) host.reporter(readConnection(news).resourceUrn).warn(note);
        if (isRecord(news.repair)) {
            const before = wantedPeers(olds.peers);
            const after = wantedPeers(news.peers);
            // Only what we wrote before and still want can have drifted; the rest is an ordinary change, shown as such.
            const repair = Object.entries(textMap(news.repair)).filter(
                ([name]) => before.get(name)?.line === after.get(name)?.line,
            );
            inputs.repair = Object.fromEntries(repair);
            if (repair.length === 0) delete inputs.repair;
        }
    }
    return { inputs, failures: [] };
}

function diff(olds: Props, news: Props): { changes: boolean } {
    if (!sameOn(COMPARED, olds, news)) return { changes: true };
    if (news.pending !== undefined) return { changes: false };
    if (news.repair !== undefined || news.adopt !== undefined || isUnknown(news.peers)) return { changes: true };
    const ledger = decodeLedger(olds.ledger);
    const wanted = wantedPeers(news.peers);
    const same =
        wanted.size === ledger.size &&
        [...wanted.values()].every(({ name, source, line }) => ledger.get(name)?.digest === digestOf(source, line));
    return { changes: !same };
}

/** Ours is what bears our claim, what our ledger knows by uid and nobody else claims, and what we were told to adopt. */
function isOurs(live: LivePeer, { claim, mesh }: Ownership, ledger: Ledger, adopt: ReadonlySet<string>): boolean {
    const { name, uid, labels } = live.metadata;
    const bears = labels?.[CLAIM_LABEL];
    if (bears === claim) return true;
    if (adopt.has(name) && labels?.[MESH_LABEL] === mesh) return true;
    return bears === undefined && ledger.get(name)?.uid === uid;
}

const outputs = (inputs: Props, ledger: Ledger): Props => ({ ...pick(inputs, ECHOED), ledger: encodeLedger(ledger) });

/** Brings the target to what the inputs say, whatever it holds: the same code serves create, update and repair. */
async function converge(host: Host, id: string, inputs: Props, ledger: Ledger): Promise<Props> {
    const connection = readConnection(inputs);
    const reporter = host.reporter(connection.resourceUrn);
    if (inputs.pending !== undefined) return outputs(inputs, ledger);
    const ownership = ownershipOf(inputs);
    const adopt = new Set(Object.keys(textMap(inputs.adopt)));
    try {
        return await withCluster(host, connection, async (client) => {
            const live = await livePeers(client, ledger);
            const ours = (peer: LivePeer): boolean => isOurs(peer, ownership, ledger, adopt);
            const own = live.filter(ours);
            if (ledger.size > 0 && own.length === 0) {
                reporter.warn(
                    `none of the ${ledger.size} recorded peers exist in ${connection.cluster} any more; they are written anew. ` +
                        "If its kubeconfig now leads to another cluster, delete the peers in the former one by hand.",
                );
            }
            const writes = planWrites({
                own,
                wanted: [...wantedPeers(inputs.peers).values()],
                endpointless: live.some((peer) => peer.spec.endpoint === undefined),
                labelled: (peer, wanted) => isLabelled(ownership, peer, wanted.source),
            });
            const population = { own, foreign: live.filter((peer) => !ours(peer)) };
            const applied = await applyWrites(client, ownership, population, writes, reporter);
            const outs = outputs(inputs, applied.ledger);
            if (applied.failures.length === 0) return outs;
            const { failures } = applied;
            const total = writes.withdraw.length + writes.grant.length;
            const summary =
                `${thousands(failures.length)} of ${thousands(total)} changes in ${connection.cluster} failed; what was done is recorded. ` +
                "Run `pulumi up` again to go on.";
            throw new PartialFailure(id, { ...inputs, ...outs }, [...failures, summary], summary);
        });
    } catch (error) {
        if (!(error instanceof KubeError) || error.kind !== "unreachable") throw error;
        // It answered a moment ago, while planning. One dead cluster must not keep the others from converging.
        reporter.warn(`${error.message}. Nothing was written; the next \`pulumi up\` tries again.`);
        return outputs(inputs, ledger);
    }
}

async function read(host: Host, id: string, outs: Props): Promise<ReadResult> {
    const connection = readConnection(outs);
    const ledger = decodeLedger(outs.ledger);
    const ownership = ownershipOf(outs);
    try {
        const live = await withCluster(host, connection, (client) => livePeers(client, ledger));
        const own = live.filter((peer) => isOurs(peer, ownership, ledger, new Set()));
        const found: Ledger = new Map(own.map((peer) => [peer.metadata.name, entryOf(peer)]));
        if (encodeLedger(found) === encodeLedger(ledger)) return { id, props: outs };
        // The engine compares outputs in a refresh, and the ledger says which peer drifted only to a machine.
        host.reporter(connection.resourceUrn).warn(describeDrift(own, found, ledger));
        const peers: Record<string, Record<string, string>> = {};
        for (const peer of own) {
            const source = peer.metadata.labels?.[SOURCE_LABEL] ?? "";
            peers[source] ??= {};
            peers[source][peer.metadata.name] = lineOfLive(peer);
        }
        const inputs = { ...pick(outs, ECHOED), peers: shapePeers(undefined, peers) };
        return { id, props: { ...outs, ledger: encodeLedger(found) }, inputs };
    } catch (error) {
        if (!(error instanceof KubeError) || error.kind !== "unreachable") throw error;
        host.reporter(connection.resourceUrn).warn(`${error.message}. Its recorded peers are kept as they were.`);
        return { id, props: outs };
    }
}

const MOST_DRIFT = 20;

function describeDrift(own: readonly LivePeer[], found: Ledger, ledger: Ledger): string {
    const lost = [...ledger.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`);
    const changed = own
        .filter(({ metadata: { name } }) => found.get(name)?.digest !== ledger.get(name)?.digest)
        .map((peer) => `${peer.metadata.name} is now ${lineOfLive(peer)}`);
    const lines = [...lost, ...changed].sort();
    const rest = lines.length > MOST_DRIFT ? [`… and ${lines.length - MOST_DRIFT} more`] : [];
    return ["not as it was written; the next `pulumi up` restores it", ...lines.slice(0, MOST_DRIFT), ...rest].join(
        "\n  ",
    );
}

async function remove(host: Host, outs: Props): Promise<void> {
    const connection = readConnection(outs);
    const ownership = ownershipOf(outs);
    const ledger = decodeLedger(outs.ledger);
    const reporter = host.reporter(connection.resourceUrn);
    try {
        const { failures, total } = await withCluster(host, connection, async (client) => {
            const live = await livePeers(client, ledger);
            const own = live.filter((peer) => isOurs(peer, ownership, ledger, new Set()));
            const writes = planWrites({ own, wanted: [], endpointless: false, labelled: () => true });
            const applied = await applyWrites(client, ownership, { own, foreign: [] }, writes, reporter);
            return { failures: applied.failures, total: own.length };
        });
        if (failures.length > 0) {
            throw new Error(
                `${thousands(failures.length)} of ${thousands(total)} peers in ${connection.cluster} could not be deleted; the others are gone. ` +
                    `Run the command again to go on.\n  ${failures.join("\n  ")}`,
            );
        }
    } catch (error) {
        writeOffOrThrow(host, connection, "peers", error);
    }
}

export const peerSet: ResourceKind = {
    check,
    diff,
    create: async (host, inputs) => {
        const id = `${inputs.mesh}/${inputs.cluster}/peers`;
        return { id, outs: await converge(host, id, inputs, new Map()) };
    },
    read,
    update: async (host, id, olds, news) => ({ outs: await converge(host, id, news, decodeLedger(olds.ledger)) }),
    delete: (host, _id, outs) => remove(host, outs),
};
