import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";

/** What every cloud's cluster resource gives you in one form or another. */
export interface MadeCluster {
    readonly name: string;
    /** Address of the API server. */
    readonly server: pulumi.Output<string>;
    readonly adminKubeconfig: pulumi.Output<string>;
}

/**
 * Here stands the resource of your cloud: `new eks.Cluster(…)`, `new gcp.container.Cluster(…)`, `new KubernetesCluster(…)`.
 * So that the example runs without one, clusters that exist already are taken from the configuration.
 */
export function makeClusters(): MadeCluster[] {
    const given = new pulumi.Config().requireObject<Record<"name" | "server" | "adminKubeconfig", string>[]>(
        "clusters",
    );
    return given.map(({ name, server, adminKubeconfig }) => ({
        name,
        server: pulumi.output(server),
        adminKubeconfig: pulumi.secret(readFileSync(adminKubeconfig, "utf8")),
    }));
}
