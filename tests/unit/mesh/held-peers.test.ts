import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { run } from "../../../provider/mesh/run";
import type { PlanInput } from "../../../provider/mesh/types";
import {
    BYSTANDER,
    CLAIM,
    codes,
    key,
    live,
    node,
    ours,
    peersIn,
    plan,
    reasons,
    routes,
    SOURCE,
    source,
    target,
} from "./fixtures";
import { runInput } from "./run-input";

const keyless = (seed: number, more: Record<string, string | undefined> = {}) =>
    node({ seed, annotations: { key: undefined, ...more } });
const held = (more: Record<string, unknown> = {}, name = "m--src--n1"): KubePeer =>
    ours(name, { publicKey: key(1), allowedIPs: ["10.1.1.0/24", "10.4.0.1/32"], ...more });
const beside = (nodes: readonly KubeNode[], ...peers: readonly KubePeer[]) =>
    plan(nodes, { livePeers: { dst: peers } });

describe("a peer whose node cannot tell its key", () => {
    test("goes where another node has that key now, and the node is skipped for its reason", () => {
        for (const nodes of [
            [keyless(1), node({ seed: 2, annotations: { key: key(1) } })],
            [keyless(1), keyless(3), node({ seed: 2, annotations: { key: key(1) } })],
        ]) {
            const planned = beside(nodes, held());
            expect(reasons(planned)[0]).toBe("src/n1 NodeNoPublicKey");
            expect(codes(planned)).toEqual([]);
            expect(Object.keys(routes(planned))).toEqual(["src--n2"]);
        }
    });

    test("stays where the node that has the key too cannot use it, or has another", () => {
        const broken = node({ seed: 2, annotations: { key: key(1), "force-endpoint": "x" } });
        for (const other of [broken, node({ seed: 2 })]) {
            expect(codes(beside([keyless(1), other], held()))).toEqual(["warning PeerHeld src/n1"]);
        }
    });

    test("is contested by a stranger with the key that it has", () => {
        const planned = beside([keyless(1), node({ seed: 2 })], held(), live("x", { publicKey: key(1) }));
        expect(codes(planned)).toEqual(["error PeerContested src/n1"]);
        expect(peersIn(planned)["src--n1"]!.spec.publicKey).toBe(key(1));
    });

    test("keeps the endpoint that was observed, on the record, and its keepalive", () => {
        const annotations = {
            "kilo-clustermesh.io/discovered-endpoint": "198.51.100.1:4500",
            "kilo-clustermesh.io/configured-endpoint": "none",
        };
        const endpoint = { dnsOrIP: { ip: "198.51.100.1" }, port: 4500 };
        const planned = beside([keyless(1, { endpoint: undefined })], held({ annotations, endpoint }));
        expect(peersIn(planned)["src--n1"]).toMatchObject({ annotations, spec: { endpoint, persistentKeepalive: 25 } });
    });
});

describe("one key on one peer", () => {
    const stranger = live("x", { publicKey: key(5) });

    test.each([
        ["after", "n2"],
        ["before", "a2"],
    ])(
        "a peer that is kept under its former key yields it to the node that has it now, which comes %s it",
        (_, name) => {
            const nodes = [
                node({ seed: 1, annotations: { key: key(5) } }),
                node({ name, seed: 2, annotations: { key: key(1) } }),
            ];
            const planned = beside(nodes, held(), stranger);
            expect(Object.entries(peersIn(planned)).map(([peer, { spec }]) => [peer, spec.publicKey])).toEqual([
                [`src--${name}`, key(1)],
            ]);
        },
    );

    test("a new node of another cluster waits while a peer is kept under its key", () => {
        const third = { name: "third", podCIDRs: ["10.3.0.0/16"] };
        const planned = plan([node({ seed: 1, annotations: { key: key(5) } })], {
            clusters: [source(), target(), third],
            nodes: { third: [node({ seed: 1, pods: ["10.3.1.0/24"], annotations: { "wireguard-ip": undefined } })] },
            livePeers: { dst: [held(), stranger] },
        });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
        expect(Object.keys(peersIn(planned, "src"))).toContain("third--n1");
    });

    test("one that nodes of three clusters have is written into none that has a node with it", () => {
        const names = ["a", "b", "c", "d"];
        const planned = planMesh({
            mesh: "m",
            clusters: names.map((name, i) => ({ name, podCIDRs: [`10.${i}.0.0/16`] })),
            nodes: Object.fromEntries(
                names.map((name, i) => [name, name === "d" ? [] : [node({ seed: 1, pods: [`10.${i}.1.0/24`] })]]),
            ),
        });
        expect(names.map((name) => Object.keys(planned.peers[name]!))).toEqual([[], [], [], ["m--a--n1"]]);
        expect(reasons(planned).filter((text) => text.includes("Foreign"))).toEqual([
            "a/n1 PeerKeyForeign in b",
            "a/n1 PeerKeyForeign in c",
        ]);
    });
});

test("an object without labels is a stranger's where the key that it has is another cluster's", () => {
    const bare = live("m--src--n1", { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
    const planned = plan([node({ seed: 1 })], {
        clusters: [source(), target(), { name: "a", podCIDRs: ["10.3.0.0/16"] }],
        nodes: { a: [node({ seed: 1, pods: ["10.3.1.0/24"], annotations: { "wireguard-ip": undefined } })] },
        livePeers: { dst: [bare] },
    });
    expect(codes(planned).filter((code) => code.includes("Peer"))).toEqual([]);
    expect(reasons(planned)).toContain("src/n1 NodePublicKeyDuplicate");
});

test("pods of which the target lets in two parts are refused where we hold one of them only", () => {
    const planned = plan([node({ seed: 1 })], {
        clusters: [source(), target({ acceptedNetworks: ["10.1.1.0/26", "10.1.1.128/25"] })],
        livePeers: { dst: [held({ allowedIPs: ["10.1.1.128/25"] }), live("x", { allowedIPs: ["10.1.0.0/16"] })] },
    });
    expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
});

test("pods that a node of the target uses are refused, though it is called like the peer", () => {
    const user = node({
        name: "m--src--n1",
        seed: 9,
        pods: ["10.1.1.0/24"],
        annotations: { "wireguard-ip": undefined },
    });
    const planned = plan([node({ seed: 1 })], { nodes: { dst: [user] } });
    expect(reasons(planned)).toContain("src/n1 PeerNetworkForeign in dst");
});

describe("targets that have no say share what is planned", () => {
    const third = { name: "third", podCIDRs: ["10.3.0.0/16"] };
    const specs = (more: Partial<PlanInput> = {}) => {
        const { targets } = run(
            runInput({
                mesh: "m",
                clusters: [source({ nodeCIDRs: ["192.168.0.0/24"] }), target(), third],
                claims: { dst: "c-dst" },
                nodes: {
                    src: [1, 2].map((seed) =>
                        node({ seed, addresses: [{ type: "InternalIP", address: `192.168.0.${seed}` }] }),
                    ),
                    dst: [BYSTANDER],
                    third: [],
                },
                ...more,
            }),
        );
        return [targets.dst!, targets.third!].map(({ peers }) => peers.get("src")!.get("m--src--n1")!.spec);
    };

    test("for a mesh has many peers", () => {
        const [first, second] = specs();
        expect(first).toBe(second);
    });

    test("also where somebody else uses other networks of the source there", () => {
        const [first, second] = specs({ livePeers: { dst: [live("x", { allowedIPs: ["10.1.9.0/24"] })] } });
        expect(first).toBe(second);
    });

    test("but not the peer that is only kept, though it looks the same", () => {
        const label = { [CLAIM]: "c-dst", [SOURCE]: "src" };
        const [first, second] = specs({
            livePeers: { dst: [held({ labels: label }), live("x", { publicKey: key(1) })] },
        });
        expect(first).not.toBe(second);
    });
});
