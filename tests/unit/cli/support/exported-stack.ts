import type { MiniEngine, Program } from "../../../support/engine/mini-engine";

export const COMPONENT = "urn:pulumi:test::meshes::kilo-clustermesh:index:ClusterMesh::edge";
export const DYNAMIC = "pulumi-nodejs:dynamic/kilo-clustermesh:";
const TYPES = {
    mesh: "Mesh",
    member: "Member",
    peers: "PeerSet",
    members: "Members",
    peerSets: "PeerSets",
} as const;
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const SECRETS: ReadonlySet<string> = new Set(["kubeconfig", "kubeconfigs", "former"]);

/** The state of the stack as `pulumi stack export --show-secrets` prints it. */
export function exported(
    { state }: MiniEngine,
    { clusters, onUnusable: _, ...program }: Program,
    prefix = DYNAMIC,
): string {
    const meshFile = JSON.stringify({ ...program, clusters: clusters.map(({ kubeconfig: _, ...rest }) => rest) });
    const secret = (bag: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
            Object.entries(bag).map(([key, value]) => [
                key,
                SECRETS.has(key) ? { ...SECRET, plaintext: JSON.stringify(value) } : value,
            ]),
        );
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
