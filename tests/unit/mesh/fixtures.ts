import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec, Plan, PlanInput, PlannedPeer } from "../../../provider/mesh/types";
import { key } from "../../support/keys";

export const CLAIM = "kilo-clustermesh.io/claim";
export const MESH = "kilo-clustermesh.io/mesh";
export const SOURCE = "kilo-clustermesh.io/source-cluster";

export interface NodeOptions {
    readonly name?: string;
    readonly seed?: number;
    readonly pods?: readonly string[];
    readonly annotations?: Readonly<Record<string, string | undefined>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
}

/** A node as Kilo leaves it in a full mesh; `annotations` are without their prefix, undefined takes one away. */
export function node({ name, seed = 1, pods, annotations = {}, labels, addresses }: NodeOptions = {}): KubeNode {
    const all: Record<string, string | undefined> = {
        key: key(seed),
        "wireguard-ip": `10.4.0.${seed}/16`,
        granularity: "full",
        endpoint: `192.0.2.${seed}:51820`,
        ...annotations,
    };
    const set = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const podCIDRs = pods ?? [`10.1.${seed}.0/24`];
    return {
        metadata: {
            name: name ?? `n${seed}`,
            ...(labels === undefined ? {} : { labels }),
            annotations: Object.fromEntries(set.map(([short, value]) => [`kilo.squat.ai/${short}`, value])),
        },
        spec: { ...(podCIDRs[0] === undefined ? {} : { podCIDR: podCIDRs[0] }), podCIDRs },
        status: { addresses: addresses ?? [] },
    };
}

/** The same in a mesh of locations, in location `eu`. */
export const located = ({ annotations, ...more }: NodeOptions): KubeNode =>
    node({ ...more, annotations: { granularity: "location", location: "eu", ...annotations } });

/** The one address of a node. */
export const at = (address: string, type = "InternalIP") => [{ type, address }];

/** What a message says of a finding, and nothing else. */
export const saidBy = (planned: Pick<Plan, "issues">, code: string): readonly string[] =>
    planned.issues.filter((found) => found.code === code).map(({ message }) => message);

/** A peer as a target has it. */
export function live(name: string, { labels = {}, annotations = {}, ...spec }: Record<string, unknown> = {}): KubePeer {
    return {
        metadata: { name, uid: `uid of ${name}`, labels, annotations },
        spec: { publicKey: key(99), allowedIPs: [], ...spec },
    } as KubePeer;
}

/** A peer that `dst` has from us, of `src`. */
export const ours = (name: string, more: Record<string, unknown> = {}): KubePeer =>
    live(name, { labels: { [CLAIM]: "c-dst", [SOURCE]: "src" }, ...more });

/** The source: pods 10.1.0.0/16, WireGuard 10.4.0.0/24. */
export function source(more: Partial<ClusterSpec> = {}): ClusterSpec {
    return { name: "src", podCIDRs: ["10.1.0.0/16"], wireguardCIDR: "10.4.0.0/24", ...more };
}

/** A target that has no nodes of its own. */
export function target(more: Partial<ClusterSpec> = {}): ClusterSpec {
    return { name: "dst", podCIDRs: ["10.2.0.0/16"], ...more };
}

/** A node of `dst` that Kilo has set up and that nothing else depends on. */
export const BYSTANDER = node({
    name: "bystander",
    seed: 200,
    pods: ["10.2.200.0/24"],
    annotations: { "wireguard-ip": undefined },
});

/** Plans `src` into `dst` with the claim `c-dst` there. A target whose peers are given was seen, and has a node. */
export function plan(nodes: readonly unknown[], more: Partial<PlanInput> & { src?: Partial<ClusterSpec> } = {}): Plan {
    const { src, ...rest } = more;
    const seen = rest.livePeers === undefined ? {} : { dst: [BYSTANDER] };
    return planMesh({
        mesh: "m",
        claims: { dst: "c-dst" },
        clusters: [source(src), target()],
        ...rest,
        nodes: { src: nodes as readonly KubeNode[], ...seen, ...rest.nodes },
    });
}

/** The peers in `dst` by the part of their name that says which segment they stand for. */
export function peersIn(planned: Plan, cluster = "dst"): Record<string, PlannedPeer> {
    return Object.fromEntries(
        Object.entries(planned.peers[cluster] ?? {}).map(([name, peer]) => [
            name.split("--").slice(1).join("--"),
            peer,
        ]),
    );
}

/** What they route, by the same names. */
export function routes(planned: Plan): Record<string, readonly string[]> {
    return Object.fromEntries(Object.entries(peersIn(planned)).map(([name, { spec }]) => [name, spec.allowedIPs]));
}

export function reasons(planned: Plan): readonly string[] {
    return planned.skipped.map((entry) => {
        const where = entry.target === undefined ? "" : ` in ${entry.target}`;
        return `${entry.cluster}/${entry.node} ${entry.reason}${where}`;
    });
}

export function codes(planned: Pick<Plan, "issues">): readonly string[] {
    return planned.issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`);
}

export { key };
