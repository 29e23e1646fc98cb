import type { MiniEngine, Program } from "../../../support/engine/mini-engine";

export const COMPONENT = "urn:pulumi:test::meshes::kilo-clustermesh:index:ClusterMesh::edge";
export const DYNAMIC = "pulumi-nodejs:dynamic/kilo-clustermesh:";
const TYPES = { mesh: "Mesh", member: "Member", peers: "PeerSet" } as const;
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** The state of the stack as `pulumi stack export --show-secrets` prints it. */
export function exported(
    { state }: MiniEngine,
    { clusters, onUnusable: _, ...program }: Program,
    prefix = DYNAMIC,
): string {
    const meshFile = JSON.stringify({ ...program, clusters: clusters.map(({ kubeconfig: _, ...rest }) => rest) });
    const secret = (bag: Readonly<Record<string, unknown>>) =>
        bag.kubeconfig === undefined
            ? bag
            : { ...bag, kubeconfig: { ...SECRET, plaintext: JSON.stringify(bag.kubeconfig) } };
    const children = [...state].map(([name, { kind, id, inputs, outputs }]) => ({
        urn: `urn:pulumi:test::meshes::${prefix}${TYPES[kind]}::${name}`,
        type: `${prefix}${TYPES[kind]}`,
        id,
        parent: COMPONENT,
        inputs: secret(inputs),
        outputs: secret(outputs),
    }));
    const component = { urn: COMPONENT, type: "kilo-clustermesh:index:ClusterMesh", outputs: { meshFile } };
    return JSON.stringify({ version: 3, deployment: { resources: [component, ...children] } });
}
