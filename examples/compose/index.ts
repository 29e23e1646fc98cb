import { ClusterMesh } from "pulumi-kilo-clustermesh";
import { makeClusters } from "./clusters";
import { MeshAccount } from "./mesh-account";

const mesh = new ClusterMesh("composed", {
    clusters: makeClusters().map(({ name, server, adminKubeconfig }, index) => ({
        name,
        kubeconfig: new MeshAccount(name, { server, adminKubeconfig }).kubeconfig,
        podCIDRs: [`10.${16 + index}.0.0/16`],
    })),
});

export const peers = mesh.peers;
export const skippedNodes = mesh.skippedNodes;
