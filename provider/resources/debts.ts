import { overrideVariable } from "../kube/auth/access";
import { failureState, KubeError } from "../kube/errors/kube-error";
import type { Connection } from "./connection";
import type { Host } from "./host";

const isTrue = (value: string | undefined): boolean => value === "true" || value === "1";

/** Named in the list, or all are meant. */
const isNamed = (list: string | undefined, cluster: string): boolean =>
    isTrue(list) || (list ?? "").split(",").some((name) => name.trim() === cluster);

/**
 * A deletion failed. Silence can be written off, by name or by consent; a bad kubeconfig or a refused certificate never
 * can: the cluster may be alive. Returns normally only where nothing is owed any more.
 */
export function writeOffOrThrow(host: Host, connection: Connection, what: string, error: unknown): void {
    if (!(error instanceof KubeError)) throw error;
    // The objects went with their definition.
    if (error.kind === "crd-missing") return;
    const { cluster } = connection;
    const isSilent = failureState(error) === "silent";
    const isForgiven =
        connection.deleteUnreachable || isNamed(host.env("KILO_CLUSTERMESH_DELETE_UNREACHABLE"), cluster);
    if (isSilent && isForgiven) {
        host.reporter(connection.resourceUrn).warn(
            `${error.message}. The ${what} there are written off: if the cluster comes back, delete them with "kilo-clustermesh sweep", or add it to the mesh again.`,
        );
        return;
    }
    const next = isSilent
        ? `Run the same command again when the cluster answers, or set KILO_CLUSTERMESH_DELETE_UNREACHABLE=${cluster} (or deleteUnreachable: true before the removal) to write them off.`
        : `${error.fix}; ${overrideVariable(cluster)} overrides the recorded credentials for one run. Only a cluster that does not answer can be written off.`;
    throw new Error(`the ${what} in ${cluster} could not be deleted and stay in the state: ${error.message}. ${next}`, {
        cause: error,
    });
}
