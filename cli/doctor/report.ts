import type { ClusterSpec, Severity } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import type { MemberView } from "../members";
import { failureFinding, permissionFindings } from "./access";
import { type Inspection, memberOf, type Place } from "./context";
import { endpoints } from "./endpoints";
import { existingPeers } from "./existing-peers";
import { CHECKS, type Check, type Finding } from "./finding";
import { meshPeers } from "./mesh-peers";
import { beyondTheApi, planFindings } from "./mesh-wide";
import { annotations, granularity, lastSeen, natKeepalive, sessionKeepalive } from "./nodes";
import { ranges } from "./ranges";
import { conflicts, held, leftOut } from "./skipped";
import { tunnels } from "./tunnels";

export interface MemberHealth {
    readonly cluster: string;
    readonly state: MemberView["state"];
    readonly passed: readonly Check[];
    /** Could not be looked at, because an earlier check failed. */
    readonly notChecked: readonly Check[];
}

export interface DoctorReport {
    readonly schemaVersion: 1;
    readonly command: "doctor";
    readonly mesh: string;
    readonly counts: Readonly<Record<Severity, number>>;
    readonly clusters: readonly MemberHealth[];
    /** By cluster in the order of the mesh file, then by check; those of the mesh as a whole last. */
    readonly findings: readonly Finding[];
}

const INSPECTIONS: readonly Inspection[] = [
    annotations,
    granularity,
    leftOut,
    held,
    lastSeen,
    endpoints,
    natKeepalive,
    sessionKeepalive,
    ranges,
    existingPeers,
    conflicts,
    meshPeers,
    tunnels,
];

export function doctorReport(assessment: Assessment, place: Place): DoctorReport {
    const members = assessment.mesh.clusters.map((spec) => inspect(assessment, spec, place));
    const findings = [
        ...members.flatMap((member) => member.findings),
        ...planFindings(assessment),
        ...beyondTheApi(assessment),
    ];
    const counts = { error: 0, warning: 0, info: 0 };
    for (const { severity } of findings) counts[severity]++;
    return {
        schemaVersion: 1,
        command: "doctor",
        mesh: assessment.mesh.mesh,
        counts,
        clusters: members.map(({ health }) => health),
        findings,
    };
}

interface Inspected {
    readonly health: MemberHealth;
    readonly findings: readonly Finding[];
}

function inspect(assessment: Assessment, spec: ClusterSpec, place: Place): Inspected {
    const seen = assessment.sight.clusters[spec.name]!;
    const permissions = permissionFindings(assessment, spec, place.cwd);
    if (seen.state !== "seen") {
        const failure = failureFinding(spec, seen.found, place);
        // What the account lacks is told verb by verb where the cluster says so.
        const isTold = failure.check === "permissions" && permissions.some(({ severity }) => severity === "error");
        const findings = [...(isTold ? [] : [failure]), ...permissions];
        const reached = CHECKS.slice(0, CHECKS.indexOf(failure.check!));
        return {
            health: {
                cluster: spec.name,
                state: seen.state,
                passed: reached.filter((check) => !findings.some((finding) => finding.check === check)),
                notChecked: CHECKS.slice(CHECKS.indexOf(failure.check!) + 1),
            },
            findings,
        };
    }
    const member = memberOf(assessment, spec, seen, place);
    const findings = [...permissions, ...INSPECTIONS.flatMap((inspection) => inspection(member))];
    const failed = new Set(findings.filter(({ severity }) => severity !== "info").map(({ check }) => check));
    return {
        health: {
            ...{ cluster: spec.name, state: seen.state },
            passed: CHECKS.filter((check) => !failed.has(check)),
            notChecked: [],
        },
        findings: findings.sort((a, b) => CHECKS.indexOf(a.check!) - CHECKS.indexOf(b.check!)),
    };
}
