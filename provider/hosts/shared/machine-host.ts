import { randomBytes } from "node:crypto";
import type { Host } from "../../resources/host";

/** What resources get from this machine, whoever runs them. */
export const machineHost = (reporter: Host["reporter"]): Host => ({
    // Loaded when a cluster is contacted: a preview and an `up` that changes nothing never do, and wait for it in vain.
    connect: (access, requestTimeoutSeconds) => {
        const { openCluster }: typeof import("../../kube/client") = require("../../kube/client");
        return openCluster(access, { requestTimeoutSeconds });
    },
    reporter,
    now: () => new Date(),
    newId: () => randomBytes(10).toString("hex"),
    env: (name) => process.env[name],
});
