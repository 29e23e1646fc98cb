import { parseEndpoint } from "../../../provider/kilo/endpoint";
import { readObservations } from "../../../provider/kilo/observations";
import type { KubePeer, PeerEndpoint, PeerSpec } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { run } from "../../../provider/mesh/run";
import type { ClusterSpec, PlanInput } from "../../../provider/mesh/types";
import { hostOf } from "../../../provider/net/cidr";
import { key } from "../../support/keys";
import { type CaseNode, type CasePeer, type Forms, KILO, kube, planInto, type Replays, replay, TARGET } from "./replay";
import { runInput } from "./run-input";

interface BuildInput {
    readonly mesh: string;
    readonly entry: ClusterSpec;
    readonly node: CaseNode;
    readonly extra_allowed_ips: readonly string[];
    readonly mesh_keepalive: number;
}

const forms = (entry: Forms): readonly ClusterSpec[] => [entry.typed, entry.flat];

/** Endpoint text as the operator prints it. */
function endpointText(endpoint: PeerEndpoint | undefined): string | undefined {
    const host = endpoint?.dnsOrIP.ip ?? endpoint?.dnsOrIP.dns;
    return host === undefined ? undefined : `${host.includes(":") ? `[${host}]` : host}:${endpoint?.port}`;
}

/** Of nodes, and of the peers they come to. */
export const PEERS: Replays = {
    node_validation: replay<{ entry: Forms; node: CaseNode }, { skip: boolean; reason?: string }>((input, expected) => {
        for (const cluster of forms(input.entry)) {
            const plan = planInto(cluster, [kube(input.node)]);
            // deliberate difference: a bad WireGuard address costs its own route, not the node
            const isAddress = ["NodeNoWireguardIP", "WGIPInvalid", "WGIPOutOfRange"].includes(expected.reason ?? "");
            const skips = expected.skip && !isAddress;
            expect(plan.skipped.map(({ reason }) => reason)).toEqual(skips ? [expected.reason] : []);
            expect(Object.keys(plan.peers[TARGET.name]!)).toHaveLength(skips ? 0 : 1);
            expect(plan.issues.some(({ code }) => code === "WireguardAddressLeftOut")).toBe(isAddress);
        }
    }),

    duplicate_wg_ips: replay<{ nodes: CaseNode[] }, { duplicates: Record<string, string[]> }>((input, expected) => {
        const nodes = input.nodes.map((node, i) =>
            kube(
                { ...node, podCIDRs: [`10.0.${i}.0/24`], annotations: { ...node.annotations, [`${KILO}key`]: "x" } },
                i + 1,
            ),
        );
        const plan = planInto({ name: "a", podCIDRs: ["10.0.0.0/16"], wireguardCIDR: "10.4.0.0/16" }, nodes);
        // deliberate difference: which node has the address really nobody knows, so it is left out of all, and no node is skipped
        const twice = new Set(Object.values(expected.duplicates).flat());
        expect(plan.skipped).toEqual([]);
        for (const { name, annotations } of input.nodes) {
            const { spec } = plan.peers[TARGET.name]![`mesh--a--${name}`]!;
            const host = hostOf(annotations[`${KILO}wireguard-ip`] ?? "");
            const isAdvertised = spec.allowedIPs.includes(`${host}/32`);
            expect(isAdvertised).toBe(host !== undefined && !twice.has(name));
        }
    }),

    endpoint_resolution: replay<
        { node: CaseNode; fallback_port: number },
        { error?: boolean; error_contains?: string[]; found?: boolean; endpoint?: string }
    >((input, expected) => {
        const given = kube({
            ...input.node,
            podCIDRs: ["10.1.1.0/24"],
            annotations: { ...input.node.annotations, [`${KILO}key`]: "x" },
        });
        const plan = planInto({ name: "a", podCIDRs: ["10.1.0.0/16"], wireguardPort: input.fallback_port }, [given]);
        const [peer] = Object.values(plan.peers[TARGET.name]!);
        if (expected.error === true) {
            expect(plan.skipped.map(({ reason }) => reason)).toEqual(["NodeEndpointInvalid"]);
            for (const text of expected.error_contains ?? []) expect(plan.skipped[0]!.message).toContain(text);
        } else if (expected.found === false) {
            // deliberate difference: further sources are tried, and without any the peer has no endpoint and keepalive 25
            expect(peer!.spec.endpoint === undefined).toBe(peer!.spec.persistentKeepalive === 25);
        } else {
            expect(endpointText(peer!.spec.endpoint)).toBe(expected.endpoint);
        }
    }),

    parse_endpoint: replay<{ endpoint: string }, { error?: boolean; endpoint?: PeerEndpoint }>((input, expected) => {
        expect(parseEndpoint(input.endpoint)?.spec).toEqual(expected.error === true ? undefined : expected.endpoint);
    }),

    discovered_endpoints: replay<{ nodes: CaseNode[] }, { by_key: Record<string, string> }>((input, expected) => {
        const zero = `${"A".repeat(43)}=`;
        const nodes = input.nodes.map((node) => kube(swapKey(node, zero)));
        const byKey = Object.entries(expected.by_key).map(([k, endpoint]) => [k === zero ? key(1) : k, endpoint]);
        // deliberate difference: what every node saw is kept, and the first by name is what the operator takes
        const first = Object.entries(readObservations(nodes)).map(([k, [endpoint]]) => [k, endpoint]);
        expect(Object.fromEntries(first)).toEqual(Object.fromEntries(byKey));
    }),

    enrich_endpoint: replay<
        { peer: { spec: PeerSpec }; target_nodes: CaseNode[] },
        { endpoint?: PeerEndpoint; changed: boolean }
    >((input, expected) => {
        const { peer } = input;
        const configured = endpointText(peer.spec.endpoint);
        const annotations = { [`${KILO}key`]: "x", ...(configured && { [`${KILO}force-endpoint`]: configured }) };
        const source = kube({ name: "n", podCIDRs: peer.spec.allowedIPs, annotations, addresses: [] });
        const observers = input.target_nodes.map((node) => kube(swapKey(node, peer.spec.publicKey)));
        const plan = planInto({ name: "a", podCIDRs: peer.spec.allowedIPs }, [source], "mesh", observers);
        const [planned] = Object.values(plan.peers[TARGET.name]!);
        expect(planned!.spec.endpoint).toEqual(expected.endpoint);
        expect(planned!.annotations !== undefined).toBe(expected.changed);
    }),

    anchor_cidrs: replay<{ entry: ClusterSpec; nodes?: CaseNode[] }, { residual: string[] }>((input, expected) => {
        const { entry } = input;
        // a node must lie in the declared networks to be meshed at all, so the ranges it needs are added to the entry
        const typed: ClusterSpec = { ...entry, podCIDRs: ["10.244.0.0/16"], wireguardCIDR: "10.4.0.0/24" };
        const needed = ["10.244.0.0/16", "10.4.0.0/24"].filter((cidr) => !entry.allowedNetworks?.includes(cidr));
        const cluster: ClusterSpec = entry.allowedNetworks
            ? { ...entry, allowedNetworks: [...entry.allowedNetworks, ...needed] }
            : typed;
        const worker = {
            name: "worker-1",
            podCIDRs: ["10.244.1.0/24"],
            annotations: { [`${KILO}wireguard-ip`]: "10.4.0.1/32", [`${KILO}key`]: "x" },
            addresses: [],
        };
        const nodes = (input.nodes ?? [worker]).map((node, i) => kube(node, i + 1));
        const [first] = Object.values(planInto(cluster, nodes).peers[TARGET.name]!);
        const own = new Set(["10.244.1.0/24", "10.4.0.1/32"]);
        expect(first!.spec.allowedIPs.filter((cidr) => !own.has(cidr)).sort()).toEqual([...expected.residual].sort());
    }),

    build_peer: replay<BuildInput, { error?: boolean; peer?: CasePeer }>((input, expected) => {
        const { name, ...entry } = input.entry;
        const cluster: ClusterSpec = {
            ...entry,
            name,
            podCIDRs: ["10.244.0.0/16"],
            wireguardCIDR: input.node.annotations[`${KILO}wireguard-ip`]?.includes(":") ? "fd00:4::/64" : "10.4.0.0/24",
            ...(input.extra_allowed_ips.length > 0 && {
                additionalCIDRs: input.extra_allowed_ips.filter((cidr) => cidr !== "10.244.1.0/24"),
            }),
            ...(input.mesh_keepalive > 0 && { persistentKeepalive: input.mesh_keepalive }),
        };
        const plan = planInto(cluster, [kube(input.node)], input.mesh);
        if (expected.error === true && plan.issues.some(({ code }) => code === "WireguardAddressLeftOut")) {
            // deliberate difference: a missing WireGuard address costs its own route, not the node
            expect(plan.skipped).toEqual([]);
            expect(Object.values(plan.peers[TARGET.name]!)[0]!.spec.allowedIPs).toContain("10.244.1.0/24");
            return;
        }
        if (expected.error === true) {
            expect(plan.skipped).toHaveLength(1);
            expect(Object.keys(plan.peers[TARGET.name]!)).toEqual([]);
            return;
        }
        const peer = plan.peers[TARGET.name]![expected.peer!.name]!;
        expect(peer.labels).toMatchObject(expected.peer!.labels);
        const { allowedIPs, publicKey, ...rest } = expected.peer!.spec;
        const { allowedIPs: ours, publicKey: ourKey, ...ourRest } = peer.spec;
        expect(new Set(ours)).toEqual(new Set(allowedIPs));
        expect(ours).toHaveLength(new Set(allowedIPs).size);
        expect(publicKey).not.toBe(ourKey);
        expect(ourRest).toEqual(rest);
    }),

    reconcile_peers: replay<
        { mesh: string; source: string; existing: CasePeer[]; desired: CasePeer[] },
        { final: CasePeer[]; ops: { delete: string[] } }
    >((input, expected) => {
        // deliberate difference: peers that are not ours are left alone, unless adopt is set; then those with our labels
        // are taken over, and those that are not wanted any more are handed to the shell to be deleted
        const existing = input.existing.map(livePeer);
        const clusters = [
            {
                name: input.source,
                podCIDRs: ["10.244.0.0/16"],
                wireguardCIDR: "10.4.0.0/24",
                additionalCIDRs: ["192.168.103.0/24"],
                serviceCIDR: "10.96.0.0/12",
            },
            TARGET,
        ];
        const nodes = input.desired.map((peer) =>
            kube({
                name: peer.name.split("--").at(-1)!,
                podCIDRs: ["10.244.1.0/24"],
                annotations: {
                    [`${KILO}key`]: "x",
                    [`${KILO}wireguard-ip`]: "10.4.0.1/32",
                    [`${KILO}force-endpoint`]: "203.0.113.1:51820",
                },
                addresses: [],
            }),
        );
        const given = {
            mesh: input.mesh,
            clusters,
            nodes: { [input.source]: nodes, [TARGET.name]: [] },
            livePeers: { [TARGET.name]: existing },
        };
        const adopting = planMesh({ ...given, adopt: true });
        const planned = Object.entries(adopting.peers[TARGET.name]!);
        expect(planned.map(([name]) => name)).toEqual(expected.final.map((peer) => peer.name));
        for (const [i, [, peer]] of planned.entries()) {
            expect(new Set(peer.spec.allowedIPs)).toEqual(new Set(expected.final[i]!.spec.allowedIPs));
        }
        const unwanted = takenOver({ ...given, adopt: true }).filter(({ wanted }) => !wanted);
        expect(unwanted.map(({ name }) => name)).toEqual([...expected.ops.delete].sort());

        const plain = planMesh(given);
        expect(takenOver(given)).toEqual([]);
        for (const peer of existing) expect(plain.peers[TARGET.name]).not.toHaveProperty([peer.metadata?.name ?? ""]);
    }),

    stale_sources: replay<{ mesh: string; valid_sources: string[]; existing: CasePeer[] }, object>((input) => {
        // deliberate difference: a peer whose source is not in the mesh is nobody's we know, and is never taken over
        const clusters = input.valid_sources.map((name, i) => ({ name, podCIDRs: [`10.${i}.0.0/16`] }));
        const found = takenOver({
            mesh: input.mesh,
            clusters: [...clusters, TARGET],
            nodes: { [TARGET.name]: [] },
            livePeers: { [TARGET.name]: input.existing.map(livePeer) },
            adopt: true,
        });
        const known = input.existing.filter((peer) =>
            input.valid_sources.includes(peer.labels["kilo-clustermesh.io/source-cluster"] ?? ""),
        );
        expect(found.map(({ name }) => name)).toEqual(known.map((peer) => peer.name).sort());
    }),
};

const takenOver = (input: PlanInput) => run(runInput(input)).targets[TARGET.name]!.takeOver;

function livePeer(peer: CasePeer): KubePeer {
    return { metadata: { name: peer.name, labels: peer.labels }, spec: peer.spec ?? {} };
}

function swapKey(node: CaseNode, from: string): CaseNode {
    const swapped = Object.entries(node.annotations).map(([name, value]) => [name, value.replaceAll(from, key(1))]);
    return { ...node, annotations: Object.fromEntries(swapped) };
}
