import type { NodeFacts } from "../../provider/kilo/types";
import type { ClusterSpec } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import { DEFAULT_FILE } from "../commands";
import type { ClusterSight } from "../sight";
import type { Finding } from "./finding";
import { asAdministrator, kubectl, quoted } from "./kubectl";

export type Answering = Extract<ClusterSight, { answers: true }>;

/** One member under examination. */
export interface Patient {
    readonly spec: ClusterSpec;
    readonly sight: Answering;
    readonly facts: readonly NodeFacts[];
    readonly assessment: Assessment;
    kubectl(...args: readonly string[]): string;
    /** Where the mesh's account is not enough. */
    administer(...args: readonly string[]): string;
    /** This command, for the same mesh file. */
    ourselves(...args: readonly string[]): string;
}

/** From where the user will run what we tell. */
export interface Place {
    readonly cwd: string;
    readonly file: string;
}

/** Looks at one thing in one member. */
export type Examination = (patient: Patient) => readonly Finding[];

export function patientOf(assessment: Assessment, spec: ClusterSpec, sight: Answering, { cwd, file }: Place): Patient {
    return {
        spec,
        sight,
        facts: assessment.facts[spec.name] ?? [],
        assessment,
        kubectl: (...args) => kubectl(spec, cwd, ...args),
        administer: (...args) => asAdministrator(spec.name, ...args),
        ourselves: (...args) =>
            ["npx kilo-clustermesh", ...args, ...(file === DEFAULT_FILE ? [] : ["-f", quoted(file)])].join(" "),
    };
}
