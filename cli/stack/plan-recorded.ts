import { endpointNames } from "../../provider/kilo/endpoint";
import type { RunResult } from "../../provider/mesh/run";
import type { MeshSpec } from "../../provider/mesh/types";
import { memberInputs } from "../../provider/observe/member-inputs";
import { type KnownMember, planKnown } from "../../provider/observe/plan-known";
import type { Host } from "../../provider/resources/host";
import { member } from "../../provider/resources/member";
import type { Sight } from "../sight";
import type { StackRecord } from "./read-stack";

/** The plan of the next `pulumi up`: what was seen goes through the same check of each member, with what is recorded of it. */
export function planRecorded(mesh: MeshSpec, sight: Sight, { meshId, members }: StackRecord): RunResult {
    const identities = Object.fromEntries(
        Object.entries(sight.clusters).flatMap(([name, { found }]) =>
            found.ok && found.identity !== undefined ? [[name, found.identity]] : [],
        ),
    );
    const { mesh: name, clusters, topology, adopt, peerWarning } = mesh;
    const { unseen: _, ...plan } = planKnown({
        mesh: name,
        meshId,
        topology,
        settings: {
            ...(adopt === undefined ? {} : { adopt }),
            ...(peerWarning === undefined ? {} : { peerWarning }),
        },
        clusters: clusters.map((cluster) => cluster.name),
        specs: clusters,
        members: clusters.map((cluster): KnownMember => {
            const recorded = members[cluster.name];
            const { inputs } = member.check(QUIET, recorded?.inputs ?? {}, {
                cluster: cluster.name,
                allowEmpty: cluster.allowEmpty ?? false,
                ...memberInputs(cluster, { clusters: sight.clusters, identities }),
            });
            return { ...(inputs as KnownMember), nodes: inputs.nodes ?? "", claim: recorded?.claim };
        }),
        sight: { clusters: sight.clusters, identities, kubeconfigs: {}, ...namesOf(sight) },
    });
    return plan;
}

/** `up` looks up the names of nodes that it sees and no others: what else was looked up must not move a leader. */
function namesOf({ clusters, unresolvable, resolved }: Sight): Pick<Sight, "unresolvable" | "resolved"> {
    const names = new Set(
        Object.values(clusters).flatMap((cluster) => (cluster.state === "seen" ? endpointNames(cluster.nodes) : [])),
    );
    return {
        unresolvable: unresolvable.filter((name) => names.has(name)),
        resolved: Object.fromEntries(Object.entries(resolved).filter(([name]) => names.has(name))),
    };
}

/** A check contacts nobody and writes nothing; what it warns of is said by `up`. */
const QUIET: Host = {
    connect: () => Promise.reject(new Error("a check does not connect")),
    reporter: () => ({ warn: () => undefined, progress: () => undefined }),
    now: () => new Date(),
    newId: () => "",
    env: () => undefined,
};
