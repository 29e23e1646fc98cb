import { MESH_LABEL } from "../../provider/values/labels";
import { counted } from "../render/visible";
import type { Examination } from "./context";
import type { Finding } from "./finding";

const WRONG: ReadonlySet<string> = new Set(["drifted", "missing", "extra"]);

/** Whether the mesh's own peers are as planned, and whose they are. */
export const meshPeers: Examination = ({ spec, assessment, kubectl, ourselves }) => {
    const { mesh, peers, own } = assessment;
    const base = { check: "mesh peers", cluster: spec.name } as const;
    const findings: Finding[] = [];
    const wrong = peers.filter(({ target, state }) => target === spec.name && WRONG.has(state));
    if (wrong.length > 0) {
        const count = (state: string): number => wrong.filter((peer) => peer.state === state).length;
        const parts = ["drifted", "missing", "extra"].flatMap((state) =>
            count(state) > 0 ? [`${count(state)} ${state}`] : [],
        );
        findings.push({
            ...base,
            code: "PeersNotAsPlanned",
            severity: "warning",
            what: `${counted(wrong.length, "peer")} of the mesh not as planned: ${parts.join(", ")}`,
            why: "traffic of these links goes astray until the next pulumi up puts them right",
            next: ourselves("plan", "--target", spec.name),
        });
    }
    const live = [...(own[spec.name]?.values() ?? [])];
    const claims = new Set(live.flatMap(({ claim }) => claim ?? []));
    const ofMesh = `${MESH_LABEL}=${mesh.mesh}`;
    if (claims.size > 1) {
        findings.push({
            ...base,
            code: "PeersOfTwoStacks",
            severity: "warning",
            what: `the peers of mesh ${mesh.mesh} bear the claims of ${claims.size} stacks`,
            why: "each stack leaves the other's peers alone, so neither has the whole mesh",
            next: kubectl("get", "peers", "-l", ofMesh, "-L", "kilo-clustermesh.io/claim"),
        });
    }
    const unclaimed = live.filter(({ claim }) => claim === undefined).length;
    if (unclaimed > 0) {
        findings.push({
            ...base,
            code: "PeersUnclaimed",
            severity: "info",
            what: `${counted(unclaimed, "peer")} of mesh ${mesh.mesh} without a stack's claim`,
            why: "an operator's, or of a lost state: pulumi up leaves them alone unless adopt: true is set",
            next: kubectl("get", "peers", "-l", `'${ofMesh},!kilo-clustermesh.io/claim'`),
        });
    }
    return findings;
};
