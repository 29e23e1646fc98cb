import { CLAIM_LABEL, MESH_LABEL } from "../../provider/values/labels";
import { count } from "../../provider/values/show";
import type { Inspection } from "./context";
import type { Finding } from "./finding";

const WRONG: ReadonlySet<string> = new Set(["drifted", "missing", "extra"]);

/** Whether the mesh's own peers are as planned, and whose they are. */
export const meshPeers: Inspection = ({ spec, assessment, kubectl, ourselves }) => {
    const { mesh, peers, plan } = assessment;
    const base = { check: "mesh peers", cluster: spec.name } as const;
    const findings: Finding[] = [];
    const wrong = peers.filter(({ target, state }) => target === spec.name && WRONG.has(state));
    if (wrong.length > 0) {
        const found = (state: string): number => wrong.filter((peer) => peer.state === state).length;
        const parts = ["drifted", "missing", "extra"].flatMap((state) =>
            found(state) > 0 ? [`${found(state)} ${state}`] : [],
        );
        findings.push({
            ...base,
            code: "PeersNotAsPlanned",
            severity: "warning",
            what: `${count(wrong.length, "peer")} of the mesh not as planned: ${parts.join(", ")}`,
            why: peers.every(({ state }) => state === "missing")
                ? "no cluster has a peer of this mesh: pulumi up has not run yet, or all were deleted; the clusters are not joined"
                : "traffic of these links may be lost until pulumi up corrects them",
            next: ourselves("plan", "--target", spec.name),
        });
    }
    const { ours, takeOver } = plan.targets[spec.name]!;
    const replaced = new Set(takeOver.flatMap(({ name, how }) => (how === "taken over" ? name : [])));
    const live = [...ours.values()].filter(({ name }) => !replaced.has(name));
    const claims = new Set(live.flatMap(({ labels }) => labels[CLAIM_LABEL] || []));
    const ofMesh = `${MESH_LABEL}=${mesh.mesh}`;
    if (claims.size > 1) {
        findings.push({
            ...base,
            code: "PeersOfTwoStacks",
            severity: "warning",
            what: `the peers of mesh ${mesh.mesh} have the claims of ${claims.size} stacks`,
            why: "each stack leaves the other's peers alone, so neither has the whole mesh",
            next: kubectl("get", "peers", "-l", ofMesh, "-L", CLAIM_LABEL),
        });
    }
    const unclaimed = live.filter(({ labels }) => !labels[CLAIM_LABEL]).length;
    if (unclaimed > 0) {
        findings.push({
            ...base,
            code: "PeersUnclaimed",
            severity: "info",
            what: `${count(unclaimed, "peer")} of mesh ${mesh.mesh} without a stack's claim`,
            why: "from an operator or a lost state: pulumi up leaves them alone unless adopt: true is set",
            next: kubectl("get", "peers", "-l", `'${ofMesh},!${CLAIM_LABEL}'`),
        });
    }
    return findings;
};
