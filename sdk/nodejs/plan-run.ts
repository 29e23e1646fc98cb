import type * as pulumi from "@pulumi/pulumi";
import { readDeclared } from "../../provider/mesh/args/declared-networks";
import type { Knowledge, Seen, Unseen } from "../../provider/mesh/knowledge";
import { type RunResult, run } from "../../provider/mesh/run";
import type { ClusterSpec, Topology } from "../../provider/mesh/types";
import type { Sight } from "../../provider/observe/look";
import { decodeNodes } from "../../provider/state/facts-text";
import type { Settings } from "./args";
import type { Member } from "./children";
import { knownValue } from "./unpublished/known";

/** A member that was not seen in this run. */
export interface UnseenMember {
    readonly cluster: string;
    readonly state: "silent" | "unusable";
    readonly reason: string;
    readonly fix: string;
    /** When it was first found so, ISO 8601. */
    readonly since: string;
    /** The member that holds its kubeconfig, where that one is the cause. */
    readonly holder?: string | undefined;
}

export interface MeshPlan extends RunResult {
    readonly unseen: readonly UnseenMember[];
}

/** What is known of one member once it is registered; in a preview not all of it may be. */
export interface KnownMember {
    readonly nodes?: unknown;
    readonly claim?: string | undefined;
    readonly unreachableSince?: string | undefined;
    readonly unusable?: string | undefined;
    readonly unusableFix?: string | undefined;
    readonly unusableSince?: string | undefined;
}

export interface KnownRun {
    readonly mesh: string;
    readonly meshId: string | undefined;
    readonly topology: Topology | undefined;
    readonly settings: Pick<Settings, "adopt" | "peerWarning">;
    /** Names of all clusters. */
    readonly clusters: readonly string[];
    /** In their order; undefined where a value is not known yet. */
    readonly specs: readonly (ClusterSpec | undefined)[];
    readonly members: readonly KnownMember[];
    readonly sight: Sight;
}

export interface PlanRun extends Pick<KnownRun, "mesh" | "topology" | "clusters" | "sight"> {
    readonly meshId: pulumi.Output<string>;
    readonly settings: pulumi.Output<Settings>;
    readonly specs: readonly pulumi.Output<ClusterSpec>[];
    readonly members: readonly Member[];
    /** Looks at some clusters again, a moment later. */
    readonly lookAgain: (sight: Sight, clusters: readonly ClusterSpec[]) => Promise<Sight>;
}

/** Plans the whole mesh once all members are registered: their checks filled the gaps with what was known before. */
export async function planRun({ lookAgain, ...given }: PlanRun): Promise<MeshPlan> {
    const members: KnownMember[] = [];
    for (const member of given.members) {
        members.push({
            nodes: await knownValue(member.nodes),
            claim: await knownValue(member.knownClaim()),
            unreachableSince: await knownValue(member.unreachableSince),
            unusable: await knownValue(member.unusable),
            unusableFix: await knownValue(member.unusableFix),
            unusableSince: await knownValue(member.unusableSince),
        });
    }
    const known: KnownRun = {
        ...given,
        meshId: await knownValue(given.meshId),
        settings: (await knownValue(given.settings)) ?? {},
        specs: await Promise.all(given.specs.map(knownValue)),
        members,
    };
    return settled(known, lookAgain);
}

/** A moment without annotations moves no leader: only what a second look, seconds later, still lacks counts. */
export async function settled(known: KnownRun, lookAgain: PlanRun["lookAgain"]): Promise<MeshPlan> {
    const plan = planKnown(known);
    const doubtful = known.specs.filter((spec) => spec !== undefined && plan.unsettled.includes(spec.name));
    if (doubtful.length === 0) return plan;
    return planKnown({ ...known, sight: await lookAgain(known.sight, doubtful as ClusterSpec[]) });
}

/** The same from plain values: pure but for the time at which a cluster is first found so. */
export function planKnown({ sight, ...given }: KnownRun): MeshPlan {
    const knowledge: Record<string, Knowledge> = {};
    const claims: Record<string, string> = {};
    const lastKnown: Record<string, ReturnType<typeof decodeNodes>> = {};
    const unseen: UnseenMember[] = [];
    const clusters = given.clusters.map((name, index) => given.specs[index] ?? { name });
    for (const [index, name] of given.clusters.entries()) {
        const member = given.members[index]!;
        const isKnown = given.specs[index] !== undefined && member.nodes !== undefined;
        const found = isKnown ? knowledgeOf(member, sight.clusters[name]) : UNKNOWN;
        knowledge[name] = found;
        claims[name] = member.claim ?? "";
        if (isKnown) lastKnown[name] = decodeNodes(member.nodes);
        if (found.state === "silent" || found.state === "unusable") {
            const since = found.since ?? new Date().toISOString();
            unseen.push({ ...found, cluster: name, since });
        }
    }
    const result = run({
        mesh: {
            ...given.settings,
            mesh: given.mesh,
            clusters,
            ...(given.topology ? { topology: given.topology } : {}),
        },
        networks: readDeclared(clusters),
        meshId: given.meshId,
        knowledge,
        lastKnown,
        claims,
        unresolvable: sight.unresolvable,
        resolved: sight.resolved,
    });
    return { ...result, unseen };
}

const UNKNOWN: Knowledge = { state: "unknown" };

/** What its check said of it comes first: it may have found that another cluster answers. */
function knowledgeOf(member: KnownMember, seen: Seen | Unseen | undefined): Seen | Unseen {
    if (seen?.state === "silent") return { ...seen, since: member.unreachableSince };
    if (member.unusable !== undefined) {
        const { unusable: reason, unusableFix: fix = "", unusableSince: since } = member;
        return {
            state: "unusable",
            reason,
            fix,
            since,
            ...(seen?.state === "unusable" ? { holder: seen.holder } : {}),
        };
    }
    // with mocks no cluster is looked at: a member has the nodes that the user's test gives it
    return seen ?? { state: "seen", nodes: decodeNodes(member.nodes), peers: [], observed: {} };
}
