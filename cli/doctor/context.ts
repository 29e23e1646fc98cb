import type { ClusterSpec } from "../../provider/mesh/types";
import type { Assessment } from "../assess";
import { DEFAULT_FILE } from "../commands";
import type { SeenCluster } from "../sight";
import type { Finding } from "./finding";
import { asAdministrator, kubectl, quoted } from "./kubectl";

/** One member that was seen, and how to say what to run there. */
export interface Member {
    readonly spec: ClusterSpec;
    readonly seen: SeenCluster;
    readonly assessment: Assessment;
    kubectl(...args: readonly string[]): string;
    /** Where the mesh's account is not enough. */
    asAdmin(...args: readonly string[]): string;
    /** This command, for the same mesh file. */
    ourselves(...args: readonly string[]): string;
}

/** From where the user will run what we tell. */
export interface Place {
    readonly cwd: string;
    readonly file: string;
}

/** Looks at one thing in one member. */
export type Inspection = (member: Member) => readonly Finding[];

export function memberOf(assessment: Assessment, spec: ClusterSpec, seen: SeenCluster, { cwd, file }: Place): Member {
    return {
        spec,
        seen,
        assessment,
        kubectl: (...args) => kubectl(spec, cwd, ...args),
        asAdmin: (...args) => asAdministrator(spec.name, ...args),
        ourselves: (...args) =>
            ["npx kilo-clustermesh", ...args, ...(file === DEFAULT_FILE ? [] : ["-f", quoted(file)])].join(" "),
    };
}
