import { configError } from "../errors/kube-error";
import { readKubeconfigEntry } from "./kubeconfig";

/**
 * A kubeconfig that was read out of a cluster is somebody else's text: it must not start programs here, send our files
 * to its server, or choose our proxy. Throws when it would.
 */
export function requireSelfContained(cluster: string, text: string, context?: string): void {
    const texts = [{ text, directory: "/" }];
    const entry = readKubeconfigEntry(cluster, context === undefined ? { texts } : { texts, context });
    const refused = [
        entry.user.exec ? "an exec plugin" : "",
        entry.user["auth-provider"] ? "an auth-provider" : "",
        entry.user.tokenFile || entry.user["client-certificate"] || entry.user["client-key"]
            ? "files of this machine"
            : "",
        entry.cluster["certificate-authority"] ? "a CA file of this machine" : "",
        entry.cluster["proxy-url"] ? "a proxy" : "",
        entry.cluster.server.toLowerCase().startsWith("https://") ? "" : "a server without TLS",
    ].filter((what) => what !== "");
    if (refused.length === 0) return;
    throw configError(
        cluster,
        `the kubeconfig read from its Secret asks for ${refused.join(", ")}, which is refused for text that comes out of a cluster`,
        "Store a kubeconfig with embedded certificates or a token in the Secret, or give `kubeconfig` in the program",
    );
}
