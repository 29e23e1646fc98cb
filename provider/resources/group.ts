import { forEachBounded } from "../kube/bounded";
import { byText, count } from "../values/show";
import { isRecord, list } from "../values/untrusted";
import { sayError } from "./apply-writes";
import {
    clustersOf,
    type GroupForm,
    type GroupItem,
    groupProps,
    itemOf,
    propertyOf,
    recordedKubeconfigs,
    withoutItems,
} from "./group-items";
import { type CheckResult, type Host, PartialFailure, type Props, type ReadResult, type ResourceKind } from "./host";
import { member } from "./member";
import { markAsSeen, withNodesAsSeen, withoutNodesAsSeen } from "./nodes-once";
import { peerSet } from "./peer-set";
import { pick } from "./props";

/**
 * All members of a mesh, or all its peer sets, as one resource: the engine's cost grows with the number of resources
 * (docs/pulumi.md: every step writes the state). Each cluster goes through the same check, diff,
 * create, update, read and delete that it has as a resource of its own, and what fails for one is recorded for it alone.
 */
const KINDS: Readonly<Record<GroupForm["resource"], ResourceKind>> = { member, peers: peerSet };

/** Claims of members are made of the id of their group. */
export const MEMBERS: GroupForm = { resource: "member", claimsFrom: (id) => id };
/** Peer sets are told the id of the members' group. */
export const PEER_SETS: GroupForm = { resource: "peers", claimsFrom: (_id, props) => props.members };

/** Clusters that are worked on at the same time. */
const AT_ONCE = 16;

export const members = groupOf(MEMBERS);
export const peerSets = groupOf(PEER_SETS);

interface Leaving {
    readonly cluster: string;
    readonly item: GroupItem;
}

/** What members hand over of a cluster that leaves: theirs is newer than what its peer set has where a run was cut off in between. */
const HANDED_OVER = ["kubeconfig", "context", "local", "identity", "neverSeen"] as const;

/** How to reach clusters that have left; each removal has an id, by which the peer sets tell that they are done with it. */
const formerOf = (leaving: readonly Leaving[], host: Host): Props =>
    Object.fromEntries(
        leaving.map(({ cluster, item }) => [
            cluster,
            { ...pick(item.props, HANDED_OVER), removal: host.newId(), since: host.now().toISOString() },
        ]),
    );

/**
 * Members do not hear whether the peer sets are done with a cluster that left, so they tell of it again in later runs. Its credentials
 * do not stay forever: the next run that succeeds needs them, and nobody waits this long for one.
 */
const FORMER_DAYS = 30;

const stillFormer = (former: unknown, news: Props, now: Date): Props =>
    Object.fromEntries(
        Object.entries(isRecord(former) ? former : {}).filter(([cluster, was]) => {
            const since = Date.parse(String(isRecord(was) ? was.since : ""));
            return news[propertyOf(cluster)] === undefined && now.getTime() - since < FORMER_DAYS * 86_400_000;
        }),
    );

const removalsIn = (former: unknown): readonly unknown[] =>
    Object.values(isRecord(former) ? former : {}).flatMap((was) => (isRecord(was) ? [was.removal] : []));

const failedOf = (outs: Props): ReadonlySet<unknown> => new Set(list(outs.failed));

/** The cluster in front of each, so that the engine's list of them can be read. */
const reasonsOf = (cluster: string, error: unknown): readonly string[] =>
    error instanceof PartialFailure
        ? error.reasons.map((reason) => `${cluster}: ${reason}`)
        : [`${cluster}: ${sayError(error)}`];

function groupOf(form: GroupForm): ResourceKind {
    const kind = KINDS[form.resource];
    const isOfPeers = form.resource === "peers";

    /** Says of which cluster it speaks. */
    const hostFor = (host: Host, cluster: string): Host => ({
        ...host,
        reporter: (urn) => {
            const { warn, progress } = host.reporter(urn);
            return {
                warn: (message) => warn(`${cluster}: ${message}`),
                progress: (message, last) => progress(`${cluster}: ${message}`, last),
            };
        },
    });

    const check = (host: Host, olds: Props, news: Props): CheckResult => {
        const items = new Map<string, Props>();
        for (const cluster of clustersOf(news)) {
            const before = itemOf(form, "", olds, cluster)?.props ?? {};
            const given = itemOf(form, "", news, cluster)!.props;
            const own = { ...kind.check(hostFor(host, cluster), before, given).inputs };
            if (!isOfPeers) markAsSeen(own, given);
            items.set(cluster, own);
        }
        const inputs = groupProps(withoutItems(news), items);
        return { inputs: { ...inputs, ...recordedKubeconfigs(olds, inputs) }, failures: [] };
    };

    const isChanged = (old: Props, item: Props): boolean => kind.diff(withNodesAsSeen(old, item), item).changes;

    const diff = (olds: Props, news: Props): { readonly changes: boolean } => {
        const before = clustersOf(olds);
        const after = clustersOf(news);
        const changes =
            failedOf(olds).size > 0 ||
            before.length !== after.length ||
            (isOfPeers && leftBehind(olds, news).length > 0) ||
            after.some((cluster) => {
                const old = itemOf(form, "", olds, cluster);
                return old === undefined || isChanged(old.props, itemOf(form, "", news, cluster)!.props);
            });
        return { changes };
    };

    /** Clusters that the members had, and of which the peer sets never recorded anything: the run that first wrote there was cut off. */
    const leftBehind = (olds: Props, news: Props): readonly Leaving[] =>
        Object.entries(isRecord(news.former) ? news.former : {}).flatMap(([cluster, was]) => {
            const isDone = isRecord(was) && list(olds.cleared).includes(was.removal);
            if (
                isDone ||
                !isRecord(was) ||
                news[propertyOf(cluster)] !== undefined ||
                olds[propertyOf(cluster)] !== undefined
            )
                return [];
            const props = groupProps(
                withoutItems(news),
                new Map([[cluster, { ...pick(was, HANDED_OVER), ledger: "" }]]),
            );
            return [{ cluster, item: itemOf(form, "", props, cluster)! }];
        });

    /** Clusters that are recorded and no longer in the mesh. */
    const leavingOf = (id: string, olds: Props, news: Props): readonly Leaving[] =>
        clustersOf(olds).flatMap((cluster) => {
            if (news[propertyOf(cluster)] !== undefined) return [];
            const item = itemOf(form, id, olds, cluster)!;
            const was = isRecord(news.former) ? news.former[cluster] : undefined;
            const newer = isRecord(was) ? { neverSeen: false, ...pick(was, HANDED_OVER) } : {};
            return [{ cluster, item: { ...item, props: { ...item.props, ...newer } } }];
        });

    /** The same for create and update: a cluster that was not recorded before is created, one that is gone is deleted. */
    const converge = async (host: Host, id: string, olds: Props, news: Props): Promise<Props> => {
        const { former, ...rest } = withoutItems(news);
        const outs = new Map<string, Props>();
        const failed = new Map<string, readonly string[]>();
        const again = failedOf(olds);
        const clusters = clustersOf(news);
        await forEachBounded(clusters, AT_ONCE, async (cluster) => {
            const item = itemOf(form, id, news, cluster)!;
            const old = itemOf(form, id, olds, cluster);
            try {
                outs.set(cluster, await step(hostFor(host, cluster), item, old, again.has(cluster)));
            } catch (error) {
                outs.set(cluster, error instanceof PartialFailure ? error.properties : (old ?? item).props);
                failed.set(cluster, reasonsOf(cluster, error));
            }
        });
        const leaving = leavingOf(id, olds, news);
        const behind = isOfPeers && news.retain !== true ? leftBehind(olds, news) : [];
        if (!isOfPeers) {
            // Their peer sets clean up, and do it later in this run: by then a cluster with a new name has taken its peers over.
            const left = { ...stillFormer(olds.former, news, host.now()), ...formerOf(leaving, host) };
            if (Object.keys(left).length > 0) rest.former = left;
        } else if (failed.size > 0 || news.holdRemovals === true) {
            // as the engine does it: nothing is removed in a run that fails, here or in the end
            for (const { cluster, item } of [...leaving, ...behind]) outs.set(cluster, item.props);
            rest.cleared = list(olds.cleared);
        } else {
            rest.cleared = removalsIn(former);
            const removed = news.retain === true ? [] : [...leaving, ...behind];
            await forEachBounded(removed, AT_ONCE, async ({ cluster, item }) => {
                try {
                    await kind.delete(hostFor(host, cluster), item.id, item.props);
                } catch (error) {
                    outs.set(cluster, item.props);
                    failed.set(cluster, reasonsOf(cluster, error));
                }
            });
        }
        const found = groupProps(rest, outs);
        if (failed.size === 0) return found;
        const names = [...failed.keys()].sort(byText);
        const reasons = names.flatMap((cluster) => failed.get(cluster)!);
        const summary = `${count(names.length, "cluster")} of ${clusters.length} failed (${names.join(", ")}); what was done is recorded. Run \`pulumi up\` again to go on.`;
        throw new PartialFailure(id, { ...found, failed: names }, reasons, summary);
    };

    const step = async (host: Host, item: GroupItem, old: GroupItem | undefined, again: boolean): Promise<Props> => {
        if (old !== undefined && !again && !isChanged(old.props, item.props)) return old.props;
        const { outs } = await (old === undefined
            ? kind.create(host, item.props)
            : kind.update(host, item.id, old.props, item.props));
        return withoutNodesAsSeen(outs, item.props);
    };

    const read = async (host: Host, id: string, outs: Props): Promise<ReadResult> => {
        const items = new Map<string, Props>();
        await forEachBounded(clustersOf(outs), AT_ONCE, async (cluster) => {
            const item = itemOf(form, id, outs, cluster)!;
            items.set(cluster, (await kind.read(hostFor(host, cluster), item.id, item.props)).props);
        });
        return { id, props: groupProps(withoutItems(outs), items) };
    };

    const remove = async (host: Host, id: string, outs: Props): Promise<void> => {
        const failed = new Map<string, string>();
        const items = clustersOf(outs).map((cluster) => [cluster, itemOf(form, id, outs, cluster)!] as const);
        await forEachBounded(items, AT_ONCE, async ([cluster, item]) => {
            try {
                await kind.delete(hostFor(host, cluster), item.id, item.props);
            } catch (error) {
                failed.set(cluster, sayError(error));
            }
        });
        if (failed.size === 0) return;
        const lines = [...failed].sort(([a], [b]) => byText(a, b)).map(([cluster, text]) => `  - ${cluster}: ${text}`);
        throw new Error(
            [
                `${count(failed.size, "cluster")} of ${items.length} could not be cleaned up; the others are done. Run the command again to go on.`,
                ...lines,
            ].join("\n"),
        );
    };

    return {
        check,
        diff,
        create: async (host, inputs) => {
            const id = isOfPeers ? `${inputs.mesh}/peers` : host.newId();
            return { id, outs: await converge(host, id, {}, inputs) };
        },
        read,
        update: async (host, id, olds, news) => ({ outs: await converge(host, id, olds, news) }),
        delete: remove,
    };
}
