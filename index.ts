import { readFileSync } from "node:fs";
import { ClusterMesh } from "pulumi-kilo-clustermesh";

/** `npm start` writes down here which of the local clusters are to be members. */
interface Member {
    readonly name: string;
    readonly kubeconfig: string;
    readonly podCIDR: string;
    readonly wireguardCIDR: string;
    readonly serviceCIDR: string;
}
const members = JSON.parse(readFileSync(`${__dirname}/.local/quickstart/members.json`, "utf8")) as Member[];

const mesh = new ClusterMesh("quickstart", {
    clusters: members.map(({ podCIDR, ...member }) => ({ ...member, podCIDRs: [podCIDR] })),
});

export const skippedNodes = mesh.skippedNodes;
