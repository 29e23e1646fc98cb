import { fact } from "../case-figures";
import type { Case } from "../results";

const SMALL_KUBECONFIG = 400;

/**
 * Bytes of state per cluster if every kubeconfig had 0.4 kB: what is encrypted grows with the kubeconfigs, which are larger
 * where clusters have certificates, and nothing else does.
 */
export function statePerCluster(each: Case): number {
    const [whole, secrets, kubeconfig] = ["stateBytes", "secretBytes", "kubeconfigBytes"].map((name) =>
        fact(each, name),
    );
    return (whole! - secrets! + (secrets! * SMALL_KUBECONFIG) / kubeconfig!) / fact(each, "clusters");
}
