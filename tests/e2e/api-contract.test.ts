import { startClusters } from "../../tools/clusters";
import { apiContract } from "../support/api-contract";

describe("a real API server keeps the contract that our code and the API double rely on", () => {
    apiContract(async () => {
        const clusters = await startClusters({ names: ["contract"] });
        const cluster = clusters.get("contract");
        return {
            adminKubeconfig: cluster.adminKubeconfig,
            kubeconfig: cluster.kubeconfig,
            putNodes: (nodes) =>
                Promise.all(
                    nodes.map((metadata) =>
                        cluster.request("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata }),
                    ),
                ).then(() => undefined),
            close: () => clusters.stop(),
        };
    });
});
