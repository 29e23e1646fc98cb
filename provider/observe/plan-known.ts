import type { NodeFacts } from "../kilo/types";
import { readDeclared } from "../mesh/args/declared-networks";
import { type Knowledge, recordable, type Seen, type Unseen } from "../mesh/knowledge";
import { type RunResult, run } from "../mesh/run";
import type { ClusterSpec, MeshSpec, Topology } from "../mesh/types";
import { decodeNodes } from "../state/facts-text";
import type { Fix } from "../values/fix";
import type { Sight } from "./look";
import { recordedNodes } from "./member-inputs";

/** A member that was not seen in this run. */
export interface UnseenMember {
    readonly cluster: string;
    readonly state: "silent" | "unusable";
    readonly reason: string;
    readonly fix: Fix;
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
    readonly unusableFix?: Fix | undefined;
    readonly unusableSince?: string | undefined;
}

export interface KnownRun {
    readonly mesh: string;
    readonly meshId: string | undefined;
    readonly topology: Topology | undefined;
    readonly settings: Pick<MeshSpec, "adopt" | "peerWarning">;
    /** Names of all clusters. */
    readonly clusters: readonly string[];
    /** In their order; undefined where a value is not known yet. */
    readonly specs: readonly (ClusterSpec | undefined)[];
    readonly members: readonly KnownMember[];
    readonly sight: Sight;
}

export type LookAgain = (sight: Sight, clusters: readonly ClusterSpec[]) => Promise<Sight>;

/** A moment without annotations moves no leader: only what a second look, seconds later, still lacks counts. */
export async function settled(known: KnownRun, lookAgain: LookAgain): Promise<MeshPlan> {
    const plan = planKnown(known);
    const doubtful = known.specs.filter((spec) => spec !== undefined && plan.unsettled.includes(spec.name));
    if (doubtful.length === 0) return plan;
    return planKnown({ ...known, sight: await lookAgain(known.sight, doubtful as ClusterSpec[]) });
}

/** The same from plain values: pure but for the time at which a cluster is first found so. */
export function planKnown({ sight, ...given }: KnownRun): MeshPlan {
    const knowledge: Record<string, Knowledge> = {};
    const claims: Record<string, string> = {};
    const lastKnown: Record<string, readonly NodeFacts[]> = {};
    const unseen: UnseenMember[] = [];
    const clusters = given.clusters.map((name, index) => given.specs[index] ?? { name });
    for (const [index, name] of given.clusters.entries()) {
        const member = given.members[index]!;
        const isKnown = given.specs[index] !== undefined && member.nodes !== undefined;
        const found = isKnown ? knowledgeOf(member, sight.clusters[name]) : UNKNOWN;
        knowledge[name] = found;
        claims[name] = member.claim ?? "";
        if (isKnown) lastKnown[name] = nodesOf(member, sight.clusters[name]);
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

/** What is recorded is mostly what was seen: then it need not be read. */
const nodesOf = ({ nodes }: KnownMember, seen: Seen | Unseen | undefined): readonly NodeFacts[] =>
    seen?.state === "seen" && nodes === recordedNodes(seen.nodes) ? seen.nodes.map(recordable) : decodeNodes(nodes);

const UNKNOWN: Knowledge = { state: "unknown" };

/** What its check said of it comes first: it may have found that another cluster answers. */
function knowledgeOf(member: KnownMember, seen: Seen | Unseen | undefined): Seen | Unseen {
    if (seen?.state === "silent") return { ...seen, since: member.unreachableSince };
    if (member.unusable !== undefined) {
        const { unusable: reason, unusableFix: fix = "Run `pulumi preview` again", unusableSince: since } = member;
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
