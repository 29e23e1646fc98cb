import { type ClusterHandle, type NodeSpec, nodeSpecs, publicKey } from "../clusters";

/** What an example finds when it runs on local clusters instead of real ones. */
export interface Scene {
    /** What the example calls its clusters; the addresses of local clusters follow from this order. */
    readonly clusters: readonly string[];
    /** Default: three nodes, each a tunnel end of its own. */
    readonly nodes?: (cluster: string) => NodeSpec[];
    /** What else must be there before the first run. */
    readonly prepare?: (clusters: ClustersByName) => Promise<void>;
    /** The stack's configuration. */
    readonly config?: (clusters: ClustersByName) => Record<string, unknown>;
    readonly environment?: (clusters: ClustersByName) => Record<string, string>;
}

export type ClustersByName = Readonly<Record<string, ClusterHandle>>;

export const threeNodes = (cluster: string): NodeSpec[] => nodeSpecs({ name: cluster }, 3);

/** `<cluster>Kubeconfig` for each of them, with the rights of docs/rbac.yaml and no more. */
const kubeconfigs = (clusters: ClustersByName): Record<string, string> =>
    Object.fromEntries(
        Object.entries(clusters).map(([name, { kubeconfigFile }]) => [`${name}Kubeconfig`, kubeconfigFile]),
    );

export const scenes: Readonly<Record<string, Scene>> = {
    "two-clusters": { clusters: ["amsterdam", "berlin"], config: kubeconfigs },
    "two-clusters-yaml": { clusters: ["amsterdam", "berlin"], config: kubeconfigs },
    "two-clusters-python": { clusters: ["amsterdam", "berlin"], config: kubeconfigs },
    "two-clusters-go": { clusters: ["amsterdam", "berlin"], config: kubeconfigs },

    "hub-and-spoke": {
        clusters: ["hub", "spoke-1", "spoke-2"],
        config: ({ hub, ...spokes }) => ({
            hubKubeconfig: hub!.kubeconfigFile,
            spokes: Object.entries(spokes).map(([name, { kubeconfigFile, podCIDR }]) => {
                return { name, kubeconfig: kubeconfigFile, podCIDR };
            }),
        }),
    },

    "nat-edge": {
        clusters: ["hub", "shop", "depot"],
        // Behind NAT: no address that others could dial, and nodes that keep their tunnels open.
        nodes: (cluster) =>
            cluster === "hub" ? threeNodes(cluster) : nodeSpecs({ name: cluster }, 2, { persistentKeepalive: 25 }),
        config: kubeconfigs,
    },

    "location-granularity": {
        clusters: ["fleet", "core"],
        nodes: (cluster) => (cluster === "core" ? threeNodes(cluster) : twoLocations()),
        config: kubeconfigs,
    },

    "migrate-from-operator": {
        clusters: ["east", "west"],
        config: kubeconfigs,
        prepare: async ({ east, west }) => {
            await leaveOperatorPeers(east!, "west", west!);
            await leaveOperatorPeers(west!, "east", east!);
        },
    },

    continuous: {
        clusters: ["platform", "blue", "green"],
        // The example runs inside its first cluster; outside of it, `local` means the default kubeconfig.
        environment: ({ platform }) => ({ KUBECONFIG: platform!.adminKubeconfigFile }),
        prepare: async ({ platform, blue, green }) => {
            await platform!.request("POST", "/api/v1/namespaces", { metadata: { name: "mesh" } });
            for (const [name, { kubeconfig }] of Object.entries({ blue: blue!, green: green! })) {
                await platform!.request("POST", "/api/v1/namespaces/mesh/secrets", {
                    metadata: { name: `${name}-kubeconfig` },
                    stringData: { value: kubeconfig },
                });
            }
        },
    },
};

/** Two regions of three nodes; in each, Kilo's leader alone has a WireGuard address. */
function twoLocations(): NodeSpec[] {
    return nodeSpecs({ name: "fleet" }, 6, { granularity: "location" }).map((node, at) => {
        const spec = { ...node, location: at < 3 ? "rhine" : "danube" };
        return at % 3 === 0 ? { ...spec, leader: true } : { ...spec, wireguardIP: null };
    });
}

/** Peers as kilo-clustermesh-operator leaves them: its names and labels, and its order of the allowed IPs. */
async function leaveOperatorPeers(target: ClusterHandle, source: string, cluster: ClusterHandle): Promise<void> {
    for (const at of [1, 2, 3]) {
        const node = `${source}-n${at}`;
        await target.createPeer({
            name: `my-mesh--${source}--${node}`,
            labels: { "kilo-clustermesh.io/mesh": "my-mesh", "kilo-clustermesh.io/source-cluster": source },
            spec: {
                publicKey: publicKey(cluster.name, node),
                endpoint: { dnsOrIP: { ip: `203.0.113.${cluster.index * 10 + at}` }, port: 51820 },
                allowedIPs: [
                    `10.${16 + cluster.index}.${at}.0/24`,
                    `100.${64 + cluster.index}.0.${at}/32`,
                    ...(at === 1 ? [cluster.serviceCIDR] : []),
                ],
            },
        });
    }
}
