import type { LivePeer } from "../kilo/peer";
import { failureState, KubeError } from "../kube/errors/kube-error";
import { type Proof, whose } from "../mesh/ownership";
import { decodeLedger, digestOf, encodeLedger, entryOf, type Ledger } from "../state/ledger";
import { formChange, peerLines, shapePeers, wantedPeers } from "../state/peer-inputs";
import { encodeLive } from "../state/peer-text";
import { SOURCE_LABEL } from "../values/labels";
import { count } from "../values/show";
import { isUnknown } from "../values/unknown";
import { isRecord } from "../values/untrusted";
import { applyWrites, type Population, thousands } from "./apply-writes";
import { CONNECTION_KEYS, credentialsToRecord, readConnection, withCluster } from "./connection";
import { writeOffOrThrow } from "./debts";
import { type CheckResult, type Host, PartialFailure, type Props, type ReadResult, type ResourceKind } from "./host";
import { listPeers } from "./list-peers";
import { labelsOf, type Marks } from "./peer-object";
import { knownOr, optionalText, pick, sameOn, textMap } from "./props";
import { yieldToRivals } from "./rivals";
import { planWrites } from "./writes";

/**
 * Owns all our peers in one target. Inputs: `peers` (a line each, by source cluster), and what the program saw in the
 * cluster: `repair` (live peers that are not what we wrote), `unlabelled` (peers that may be ours, by uid), `adopt` (peers
 * to take over), `pending` (why nothing is written now).
 */
const ECHOED = ["resource", "schemaVersion", ...CONNECTION_KEYS, "mesh", "meshId", "claim", "owner"] as const;

/** Where to report, and who owns it in words: worth recording, not worth an update. Neither is an id that 0.1.0 had not. */
const UNCOMPARED: ReadonlySet<string> = new Set(["resourceUrn", "owner", "meshId", "neverSeen"]);
const COMPARED = ECHOED.filter((key) => !UNCOMPARED.has(key) && key !== "identity");

const marksOf = (props: Props): Marks => ({
    mesh: optionalText(props.mesh) ?? "",
    claim: optionalText(props.claim) ?? "",
    meshId: isUnknown(props.meshId) ? undefined : optionalText(props.meshId),
    owner: optionalText(props.owner) ?? "",
});

function check(host: Host, olds: Props, news: Props): CheckResult {
    if (news.pending !== undefined && !isUnknown(news.pending)) {
        // Nothing is known of the target: the set stays as it was, and the difference is found again by a later run.
        const { repair: _, adopt: __, unlabelled: ___, ...given } = credentialsToRecord(olds, news, false);
        return { inputs: { ...given, peers: olds.peers ?? {} }, failures: [] };
    }
    const inputs: Props = { ...credentialsToRecord(olds, news, true) };
    // a group has its peers as texts whatever their number
    if (isRecord(news.peers) && news.asTexts !== true) {
        inputs.peers = shapePeers(olds.peers, news.peers);
        const note = formChange(olds.peers, inputs.peers);
        if (note !== undefined) host.reporter(readConnection(news).resourceUrn).warn(note);
    }
    if (isRecord(news.repair) && isRecord(news.peers)) {
        const before = peerLines(olds.peers);
        const after = peerLines(news.peers);
        // Only what we wrote before and still want can have drifted; the rest is an ordinary change, shown as such.
        const repair = Object.entries(textMap(news.repair)).filter(
            ([name]) => before.get(name)?.line === after.get(name)?.line,
        );
        if (repair.length === 0) delete inputs.repair;
        else {
            inputs.repair = Object.fromEntries(repair);
            // a preview without --diff says no more than that `repair` changes
            host.reporter(readConnection(news).resourceUrn).warn(repairText(repair));
        }
    }
    return { inputs, failures: [] };
}

const MOST_REPAIRS = 20;

function repairText(repair: readonly (readonly [name: string, how: string])[]): string {
    const lines = repair.slice(0, MOST_REPAIRS).map(([name, how]) => `${name}: ${how}`);
    const rest = repair.length - lines.length;
    if (rest > 0) lines.push(`and ${rest} more`);
    return lines.length === 1 ? lines[0]! : `${count(repair.length, "peer")} to repair\n  - ${lines.join("\n  - ")}`;
}

function diff(olds: Props, news: Props): { changes: boolean } {
    if (!sameOn(COMPARED, olds, news)) return { changes: true };
    if (isRebuilt(olds, news)) return { changes: true };
    if (news.pending !== undefined && !isUnknown(news.pending)) return { changes: false };
    if (news.repair !== undefined || news.adopt !== undefined || isUnknown(news.peers)) return { changes: true };
    const ledger = decodeLedger(olds.ledger);
    // an object without labels is ours only if our ledger knows its uid; a stranger's copy is none of our business
    if (Object.entries(textMap(news.unlabelled)).some(([name, uid]) => ledger.get(name)?.uid === uid))
        return { changes: true };
    const wanted = peerLines(news.peers);
    const same =
        wanted.size === ledger.size &&
        [...wanted.values()].every(({ name, source, line }) => ledger.get(name)?.digest === digestOf(source, line));
    return { changes: !same };
}

/** Another cluster under the same name, and the user said so: what was recorded of the old one is worth nothing. */
const isRebuilt = (olds: Props, news: Props): boolean =>
    optionalText(olds.identity) !== undefined &&
    optionalText(news.identity) !== undefined &&
    !isUnknown(news.identity) &&
    olds.identity !== news.identity;

const proofOf = (props: Props, ledger: Ledger, formerClaim?: unknown): Proof => {
    const { claim, meshId, mesh } = marksOf(props);
    return {
        claim: optionalText(claim),
        formerClaim: optionalText(formerClaim),
        meshId,
        recorded: ledger,
        named: { names: new Set(Object.keys(textMap(props.adopt))), mesh },
    };
};

/** What was to be taken over and was not, because the run failed, is not ours. */
const recordedProof = ({ adopt: _, ...outs }: Props, ledger: Ledger): Proof => proofOf(outs, ledger);

const outputs = (inputs: Props, ledger: Ledger): Props => ({ ...pick(inputs, ECHOED), ledger: encodeLedger(ledger) });

function populationOf(live: readonly LivePeer[], proof: Proof): Population {
    const own: LivePeer[] = [];
    const foreign: LivePeer[] = [];
    for (const peer of live) (whose(peer, proof) === "foreign" ? foreign : own).push(peer);
    return { own, foreign };
}

/** Brings the target to what the inputs say, whatever it holds: the same code serves create, update and repair. */
async function converge(host: Host, id: string, olds: Props, news: Props): Promise<Props> {
    const inputs = knownOr(olds, news);
    const connection = readConnection(inputs);
    const reporter = host.reporter(connection.resourceUrn);
    const ledger = isRebuilt(olds, news) ? new Map() : decodeLedger(olds.ledger);
    if (news.pending !== undefined) return outputs(inputs, ledger);
    if (isUnknown(news)) {
        reporter.warn("a value it depends on is not known in this run, so nothing was written; run `pulumi up` again.");
        return outputs(inputs, ledger);
    }
    const marks = marksOf(inputs);
    try {
        return await withCluster(host, connection, async (client) => {
            const live = await listPeers(client, ledger);
            const population = populationOf(live, proofOf(inputs, ledger, olds.claim));
            if (ledger.size > 0 && population.own.length === 0) {
                reporter.warn(
                    `none of the ${ledger.size} recorded peers exist in ${connection.cluster} any more; they are written again. ` +
                        "If its kubeconfig now leads to another cluster, delete the peers in the former one by hand.",
                );
            }
            const writes = planWrites({
                ...population,
                wanted: wantedPeers(inputs.peers),
                labelsOf: (source) => labelsOf(marks, source),
            });
            const applied = await applyWrites(client, marks, population, writes, reporter);
            await yieldToRivals(client, marks, population, applied, reporter);
            const outs = outputs(inputs, applied.ledger);
            if (applied.failures.size === 0) return outs;
            const failures = [...applied.failures].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
            const total = writes.withdraw.length + writes.grant.length + writes.terminating.length;
            const summary =
                `${thousands(failures.length)} of ${thousands(total)} changes in ${connection.cluster} failed; what was done is recorded. ` +
                "Run `pulumi up` again to go on.";
            // the engine counts the reasons, so the summary is no reason of its own
            const reasons = failures.map((text, at) => (at === failures.length - 1 ? `${text}\n${summary}` : text));
            throw new PartialFailure(id, { ...inputs, ...outs }, reasons, summary);
        });
    } catch (error) {
        if (!(error instanceof KubeError) || failureState(error) !== "silent") throw error;
        // It answered a moment ago, while planning. One dead cluster must not keep the others from converging.
        reporter.warn(`${error.message}. Nothing was written; the next \`pulumi up\` tries again.`);
        return outputs(inputs, ledger);
    }
}

async function read(host: Host, id: string, outs: Props): Promise<ReadResult> {
    const connection = readConnection(outs);
    const ledger = decodeLedger(outs.ledger);
    try {
        const live = await withCluster(host, connection, (client) => listPeers(client, ledger));
        const { own } = populationOf(live, recordedProof(outs, ledger));
        const found: Ledger = new Map(own.map((peer) => [peer.name, entryOf(peer)]));
        if (encodeLedger(found) === encodeLedger(ledger)) return { id, props: outs };
        // The engine compares outputs in a refresh, and the ledger says which peer drifted only to a machine.
        host.reporter(connection.resourceUrn).warn(describeDrift(own, found, ledger));
        const peers: Record<string, Record<string, string>> = {};
        for (const peer of own) {
            const source = peer.labels[SOURCE_LABEL] ?? "";
            peers[source] ??= {};
            peers[source][peer.name] = encodeLive(peer);
        }
        const inputs = { ...pick(outs, ECHOED), peers: shapePeers(undefined, peers) };
        return { id, props: { ...outs, ledger: encodeLedger(found) }, inputs };
    } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const next = failureState(error) === "silent" ? "" : ` ${error.fix}.`;
        host.reporter(connection.resourceUrn).warn(
            `${error.message}. Its recorded peers are kept as they were.${next}`,
        );
        return { id, props: outs };
    }
}

const MOST_DRIFT = 20;

function describeDrift(own: readonly LivePeer[], found: Ledger, ledger: Ledger): string {
    const lost = [...ledger.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`);
    const changed = own
        .filter(({ name }) => found.get(name)?.digest !== ledger.get(name)?.digest)
        .map((peer) => `${peer.name} is now ${encodeLive(peer)}`);
    const lines = [...lost, ...changed].sort();
    const rest = lines.length > MOST_DRIFT ? [`… and ${lines.length - MOST_DRIFT} more`] : [];
    return ["not as it was written; the next `pulumi up` restores it", ...lines.slice(0, MOST_DRIFT), ...rest].join(
        "\n  ",
    );
}

async function remove(host: Host, outs: Props): Promise<void> {
    const connection = readConnection(outs);
    if (connection.neverSeen && outs.ledger === "") return;
    const ledger = decodeLedger(outs.ledger);
    const reporter = host.reporter(connection.resourceUrn);
    const marks = marksOf(outs);
    try {
        const { failures, total } = await withCluster(host, connection, async (client) => {
            const { own } = populationOf(await listPeers(client, ledger), recordedProof(outs, ledger));
            const population = { own, foreign: [] };
            const writes = planWrites({ ...population, wanted: [], labelsOf: () => ({}) });
            const applied = await applyWrites(client, marks, population, writes, reporter);
            return { failures: [...applied.failures.values()].sort(), total: own.length };
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
        return { id, outs: await converge(host, id, {}, inputs) };
    },
    read,
    update: async (host, id, olds, news) => ({ outs: await converge(host, id, olds, news) }),
    delete: (host, _id, outs) => remove(host, outs),
};
