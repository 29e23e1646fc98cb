import { planFromFacts, planMesh, readNodes } from "../../../provider/mesh/index";
import type { ClusterSpec, KubeNode, KubePeer, PlanInput } from "../../../provider/mesh/types";
import { codes, key, type NodeOptions, node, peersIn, plan, reasons, source, target } from "./fixtures";

const CLAIM = "kilo-clustermesh.io/claim";
const MESH = "kilo-clustermesh.io/mesh";
const SOURCE = "kilo-clustermesh.io/source-cluster";

const routes = (planned: ReturnType<typeof plan>) =>
    Object.fromEntries(Object.entries(peersIn(planned)).map(([name, { spec }]) => [name, spec.allowedIPs]));

function live(name: string, { labels = {}, annotations = {}, ...spec }: Record<string, unknown> = {}): KubePeer {
    return {
        metadata: { name, labels, annotations },
        spec: { publicKey: key(99), allowedIPs: [], ...spec },
    } as KubePeer;
}

const ours = (name: string, more: Record<string, unknown> = {}) =>
    live(name, { labels: { [CLAIM]: "c-dst" }, ...more });

describe("peers that are not ours", () => {
    const nodes = [node({ seed: 1 }), node({ seed: 2 })];
    const src = { serviceCIDR: "10.96.0.0/16" };
    const among = (...peers: readonly KubePeer[]) => plan(nodes, { src, livePeers: { dst: peers } });

    test.each<[string, KubePeer, string, string]>([
        [
            "hold the name",
            live("m--src--n1"),
            "PeerNameForeign",
            'in "dst" the name "m--src--n1" is held by a peer of nobody we know',
        ],
        [
            "hold the name under another claim",
            live("m--src--n1", { labels: { [CLAIM]: "other" } }),
            "PeerNameForeign",
            'in "dst" the name "m--src--n1" is held by a peer of nobody we know',
        ],
        [
            "have the key",
            live("x", { publicKey: key(1) }),
            "PeerKeyForeign",
            'in "dst" the peer "x", which is not ours, has its public key',
        ],
        [
            "have the pods",
            live("x", { allowedIPs: ["10.1.1.0/24"] }),
            "PeerNetworkForeign",
            '10.1.1.0/24 overlaps the foreign peer "x" of "dst"',
        ],
        [
            "have some of the pods",
            live("x", { allowedIPs: ["junk", "10.1.1.77/32"] }),
            "PeerNetworkForeign",
            '10.1.1.0/24 overlaps the foreign peer "x" of "dst"',
        ],
        [
            "have the WireGuard address",
            live("x", { allowedIPs: ["10.4.0.0/31"] }),
            "PeerNetworkForeign",
            '10.4.0.1/32 overlaps the foreign peer "x" of "dst"',
        ],
    ])("and %s are left alone: the node is skipped there, and what rode on it moves on", (_, peer, reason, message) => {
        const planned = among(peer);
        expect(planned.skipped).toEqual([{ cluster: "src", node: "n1", reason, message, target: "dst" }]);
        expect(routes(planned)).toEqual({ "src--n2": ["10.1.2.0/24", "10.4.0.2/32", "10.96.0.0/16"] });
    });

    test("and have a cluster-wide network cost that network only", () => {
        const planned = among(live("x", { allowedIPs: ["10.96.5.0/24"] }));
        expect(routes(planned)).toEqual({
            "src--n1": ["10.1.1.0/24", "10.4.0.1/32"],
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
        expect(planned.skipped).toEqual([]);
        expect(planned.issues).toEqual([
            {
                code: "NetworkForeign",
                severity: "warning",
                path: "dst/src",
                message: '10.96.0.0/16 of "src" is not routed in "dst": it overlaps the foreign peer "x"',
                fix: "remove what overlaps there, or take the range out of the source's networks",
            },
        ]);
    });

    test("are described by what they say of themselves", () => {
        const said = (peer: KubePeer) => among(peer).skipped[0]?.message.replace(/^.*held by a peer /, "");
        const hint =
            "; if it was this mesh's before its state was lost or an operator's, set adopt: true, and if the resource was renamed, give it an alias";
        const named = (more: Record<string, unknown>) => live("m--src--n1", more);
        expect(said(named({ labels: { "app.kubernetes.io/managed-by": "helm" } }))).toBe('managed by "helm"');
        expect(said(named({ labels: { [MESH]: "other" } }))).toBe('of mesh "other"');
        expect(said(named({ labels: { [MESH]: "m" } }))).toBe(`of mesh "m"${hint}`);
        expect(said(named({ labels: { [MESH]: "m" }, annotations: { "kilo-clustermesh.io/owner": "o/p/s/m" } }))).toBe(
            `of "o/p/s/m"${hint}`,
        );
    });

    test("in one target change nothing in another", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target(), target({ name: "other", podCIDRs: ["10.3.0.0/16"] })],
            nodes: { src: nodes },
            livePeers: { dst: [live("x", { publicKey: key(1) })] },
        });
        expect(Object.keys(peersIn(planned, "dst"))).toEqual(["src--n2"]);
        expect(Object.keys(peersIn(planned, "other"))).toEqual(["src--n1", "src--n2"]);
    });

    test("that throw when looked at are harmless", () => {
        const thrower = new Proxy(
            {},
            {
                getOwnPropertyDescriptor: () => {
                    throw new Error("boom");
                },
            },
        );
        const peers = [
            ours("m--src--n1", { annotations: thrower }),
            ours("m--src--n2", { endpoint: thrower }),
            live("x", { labels: thrower }),
        ];
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: peers } })))).toEqual(["src--n1", "src--n2"]);
    });

    test("of any shape are harmless", () => {
        const odd = [
            null,
            7,
            {},
            { metadata: {} },
            { metadata: { name: "" } },
            { metadata: { name: "x", labels: 7 }, spec: { publicKey: 7, allowedIPs: "10.1.1.0/24", endpoint: 7 } },
        ];
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: odd as never } })))).toEqual(["src--n1", "src--n2"]);
        expect(Object.keys(routes(plan(nodes, { livePeers: { dst: "x" as never } })))).toEqual(["src--n1", "src--n2"]);
        expect(Object.keys(routes(plan(nodes, { livePeers: 7 as never })))).toEqual(["src--n1", "src--n2"]);
    });

    test("are all there are where no claim is known", () => {
        const peer = live("m--src--n1", { labels: { [CLAIM]: "", [MESH]: "m", [SOURCE]: "src" } });
        for (const claims of [{}, { dst: "" }]) {
            expect(reasons(plan(nodes, { claims, livePeers: { dst: [peer] } }))).toEqual([
                "src/n1 PeerNameForeign in dst",
            ]);
        }
    });

    test("which bear our claim are ours, whatever else they say", () => {
        const peer = ours("m--src--n1", { publicKey: key(2), allowedIPs: ["10.1.2.0/24"] });
        expect(among(peer).skipped).toEqual([]);
    });
});

describe("what a target's own nodes use is never routed away from them", () => {
    const guarded = (options: NodeOptions, src: Partial<ClusterSpec> = {}) =>
        plan([node({ seed: 1 }), node({ seed: 2 })], {
            src,
            nodes: { dst: [node({ seed: 8, pods: ["10.2.8.0/24"], ...options })] },
        });
    const said = (planned: ReturnType<typeof plan>) =>
        planned.skipped
            .filter(({ target: where }) => where === "dst")
            .map(({ reason, message }) => `${reason} ${message}`);

    test("its pods, though they lie outside its declared networks", () => {
        expect(said(guarded({ pods: ["10.1.1.0/25"] }))).toEqual([
            'PeerNetworkForeign 10.1.1.0/24 overlaps what node "n8" uses of "dst"',
        ]);
    });

    test.each<[string, NodeOptions]>([
        ["its address", { addresses: [{ type: "InternalIP", address: "10.1.1.9" }] }],
        ["its external address", { addresses: [{ type: "ExternalIP", address: "10.1.1.9" }] }],
        ["the address that Kilo uses", { annotations: { "internal-ip": "10.1.1.9/24" } }],
        ["its WireGuard address", { annotations: { "wireguard-ip": "10.1.1.9/24" } }],
    ])("%s", (_, options) => {
        expect(said(guarded(options))).toEqual([
            'PeerNetworkForeign 10.1.1.0/24 overlaps what node "n8" uses of "dst"',
        ]);
    });

    test("nor its key", () => {
        const planned = plan([node({ seed: 1 })], {
            clusters: [source({ name: "a" }), target()],
            nodes: {
                a: [node({ seed: 1 })],
                dst: [node({ seed: 8, pods: ["10.2.8.0/24"], annotations: { key: key(1) } })],
            },
        });
        expect(reasons(planned)).toEqual(["a/n1 PeerKeyForeign in dst", "dst/n8 NodePublicKeyDuplicate"]);
        expect(planned.skipped[0]?.message).toBe('in "dst" one of the cluster\'s own nodes has its public key');
    });

    test("a cluster-wide network of the source is left out there", () => {
        const planned = guarded(
            { addresses: [{ type: "InternalIP", address: "10.96.0.9" }] },
            { serviceCIDR: "10.96.0.0/16" },
        );
        expect(codes(planned)).toEqual(["warning NetworkForeign dst/src"]);
    });

    test("in a location only the node concerned stays out, and with its address the leader's", () => {
        const located = (seed: number, annotations = {}) =>
            node({ seed, annotations: { granularity: "location", location: "eu", ...annotations } });
        const nodes = [located(1, { leader: "" }), located(2)];
        const inUse = (address: string) =>
            plan(nodes, {
                nodes: {
                    dst: [node({ seed: 8, pods: ["10.2.8.0/24"], addresses: [{ type: "InternalIP", address }] })],
                },
            });
        expect(routes(inUse("10.1.2.9"))).toEqual({ "src--location-eu": ["10.1.1.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.1.1.9"))).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.4.0.1/32"] });
        expect(routes(inUse("10.4.0.1"))).toEqual({ "src--location-eu": ["10.1.2.0/24"] });
        expect(reasons(inUse("10.4.0.1"))).toEqual(["src/n1 PeerNetworkForeign in dst"]);
    });
});

describe("accepted networks", () => {
    const into = (acceptedNetworks: readonly string[], src: Partial<ClusterSpec> = {}) =>
        plan([node({ seed: 1 }), node({ seed: 2 })], {
            clusters: [source({ serviceCIDR: "10.96.0.0/16", ...src }), target({ acceptedNetworks })],
        });

    test.each<[string, readonly string[], Record<string, readonly string[]>]>([
        [
            "everything",
            ["10.0.0.0/8"],
            { "src--n1": ["10.1.1.0/24", "10.4.0.1/32", "10.96.0.0/16"], "src--n2": ["10.1.2.0/24", "10.4.0.2/32"] },
        ],
        ["one node", ["10.1.2.0/24"], { "src--n2": ["10.1.2.0/24"] }],
        [
            "a part of a range",
            ["10.96.7.0/24", "10.96.5.0/24", "10.1.1.128/25"],
            { "src--n1": ["10.1.1.128/25", "10.96.5.0/24", "10.96.7.0/24"] },
        ],
        ["nested ranges", ["10.1.0.0/16", "10.1.1.0/24"], { "src--n1": ["10.1.1.0/24"], "src--n2": ["10.1.2.0/24"] }],
        ["nothing of this", ["172.16.0.0/12"], {}],
    ])("let in %s", (_, accepted, expected) => {
        expect(routes(into(accepted))).toEqual(expected);
    });

    test("that are empty let nothing in, with a warning", () => {
        const planned = into([]);
        expect(peersIn(planned)).toEqual({});
        expect(planned.issues).toEqual([
            {
                code: "AcceptsNothing",
                severity: "warning",
                path: "dst",
                message: 'acceptedNetworks of "dst" is empty: no peer is written into it',
                fix: "list what it should let in, or leave acceptedNetworks out",
            },
        ]);
    });
});

describe("endpoints that a target observed", () => {
    const NODE = node({ seed: 1 });
    const SEEN = "198.51.100.7";
    const observer = (ip: string | undefined, port = 40123): KubeNode =>
        node({
            seed: 8,
            pods: ["10.2.8.0/24"],
            annotations: {
                "wireguard-ip": undefined,
                "discovered-endpoints": ip === undefined ? "{}" : JSON.stringify({ [key(1)]: { IP: ip, Port: port } }),
            },
        });
    const peer = (planned: ReturnType<typeof plan>, cluster = "dst") => peersIn(planned, cluster)["src--n1"]!;
    const seen = (ip: string | undefined, more: Parameters<typeof plan>[1] = {}, from: KubeNode = NODE) =>
        peer(plan([from], { nodes: { dst: [observer(ip)] }, ...more }));
    const adopted = {
        endpoint: { dnsOrIP: { ip: SEEN }, port: 40123 },
        annotations: {
            "kilo-clustermesh.io/discovered-endpoint": `${SEEN}:40123`,
            "kilo-clustermesh.io/configured-endpoint": "192.0.2.1:51820",
        },
    };
    const configured = { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 };

    test("replace the configured one there, on the record", () => {
        const { spec, annotations } = seen(SEEN);
        expect(spec.endpoint).toEqual(adopted.endpoint);
        expect(annotations).toEqual(adopted.annotations);
        expect(spec.allowedIPs).toEqual(["10.1.1.0/24", "10.4.0.1/32"]);
    });

    test("never leak into another target", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source(), target(), target({ name: "other", podCIDRs: ["10.3.0.0/16"] })],
            nodes: { src: [NODE], dst: [observer(SEEN)] },
        });
        expect(peer(planned, "dst").spec.endpoint).toEqual(adopted.endpoint);
        expect(peer(planned, "other").spec.endpoint).toEqual(configured);
        expect(peer(planned, "other")).not.toHaveProperty("annotations");
    });

    test("give a node without endpoint one; it is still kept alive", () => {
        const { spec, annotations } = seen(SEEN, {}, node({ seed: 1, annotations: { endpoint: undefined } }));
        expect(spec).toMatchObject({ endpoint: adopted.endpoint, persistentKeepalive: 25 });
        expect(annotations).toMatchObject({ "kilo-clustermesh.io/configured-endpoint": "none" });
        expect(seen(SEEN, { src: { nat: true } }).spec).toMatchObject({
            endpoint: adopted.endpoint,
            persistentKeepalive: 25,
        });
    });

    test("that are the configured one change nothing", () => {
        const planned = peer(plan([NODE], { nodes: { dst: [observer("192.0.2.1", 51820)] } }));
        expect(planned.spec.endpoint).toEqual(configured);
        expect(planned).not.toHaveProperty("annotations");
    });

    test.each<[string, Parameters<typeof plan>[1], KubeNode]>([
        ["the cluster says discoveredEndpoints: false", { src: { discoveredEndpoints: false } }, NODE],
        ["the endpoint is pinned", {}, node({ seed: 1, annotations: { "clustermesh-endpoint": "192.0.2.1:51820" } })],
    ])("do not count where %s", (_, more, from) => {
        const { spec, annotations } = seen(SEEN, more, from);
        expect(spec.endpoint).toEqual(configured);
        expect(annotations).toBeUndefined();
    });

    test.each([
        ["in its own pods", "10.1.1.9"],
        ["at its own WireGuard address", "10.4.0.1"],
        ["in the cluster's services", "10.96.0.9"],
        ["loopback", "127.0.0.1"],
        ["link-local", "169.254.1.1"],
    ])("are passed over when they lie %s", (_, ip) => {
        expect(seen(ip, { src: { serviceCIDR: "10.96.0.0/16" } }).spec.endpoint).toEqual(configured);
    });

    describe("stay when they are forgotten", () => {
        const recorded = (more: Record<string, unknown> = {}) =>
            ours("m--src--n1", {
                publicKey: key(1),
                endpoint: adopted.endpoint,
                annotations: adopted.annotations,
                ...more,
            });
        const later = (
            peers: readonly KubePeer[],
            ip?: string,
            more: Parameters<typeof plan>[1] = {},
            from: KubeNode = NODE,
        ) => seen(ip, { livePeers: { dst: peers }, ...more }, from);

        test("as long as nothing else is observed", () => {
            const { spec, annotations } = later([recorded()]);
            expect(spec.endpoint).toEqual(adopted.endpoint);
            expect(annotations).toEqual(adopted.annotations);
        });

        test("until another is observed", () => {
            expect(later([recorded()], "198.51.100.8").annotations).toMatchObject({
                "kilo-clustermesh.io/discovered-endpoint": "198.51.100.8:40123",
            });
        });

        test("until the configured one itself is observed", () => {
            const back = peer(
                plan([NODE], { nodes: { dst: [observer("192.0.2.1", 51820)] }, livePeers: { dst: [recorded()] } }),
            );
            expect(back.spec.endpoint).toEqual(configured);
        });

        test("until the configured one changes", () => {
            const moved = node({ seed: 1, annotations: { endpoint: "192.0.2.77:51820" } });
            expect(later([recorded()], undefined, {}, moved).spec.endpoint).toEqual({
                dnsOrIP: { ip: "192.0.2.77" },
                port: 51820,
            });
        });

        test("though someone changed the endpoint in the object: that is drift", () => {
            const drifted = recorded({ endpoint: { dnsOrIP: { ip: "203.0.113.66" }, port: 1 } });
            expect(later([drifted]).spec.endpoint).toEqual(adopted.endpoint);
        });

        test.each<[string, KubePeer]>([
            ["another key", recorded({ publicKey: key(2) })],
            ["another claim", recorded({ labels: { [CLAIM]: "other" } })],
            [
                "no record of what it replaced",
                recorded({ annotations: { "kilo-clustermesh.io/discovered-endpoint": `${SEEN}:40123` } }),
            ],
            [
                "a record that cannot be used",
                recorded({
                    annotations: { ...adopted.annotations, "kilo-clustermesh.io/discovered-endpoint": "127.0.0.1:1" },
                }),
            ],
            [
                "a record that is a name",
                recorded({
                    annotations: {
                        ...adopted.annotations,
                        "kilo-clustermesh.io/discovered-endpoint": "evil.example:1",
                    },
                }),
            ],
            [
                "a record without end",
                recorded({
                    annotations: {
                        ...adopted.annotations,
                        "kilo-clustermesh.io/discovered-endpoint": `${"1".repeat(99)}:1`,
                    },
                }),
            ],
            ["annotations of the wrong type", recorded({ annotations: 7 })],
        ])("but not on a peer with %s", (_, peerBefore) => {
            const planned = plan([NODE], { livePeers: { dst: [peerBefore] } });
            expect(peersIn(planned)["src--n1"]?.annotations).toBeUndefined();
        });

        test("nor where observations do not count any more", () => {
            expect(later([recorded()], undefined, { src: { discoveredEndpoints: false } }).spec.endpoint).toEqual(
                configured,
            );
        });
    });
});

describe("a DNS name that does not resolve", () => {
    const NODE = node({ seed: 1, annotations: { endpoint: "gw.example.com:51820" } });
    const unresolvable = ["gw.example.com"];
    const written = ours("m--src--n1", { endpoint: { dnsOrIP: { dns: "gw.example.com" }, port: 51820 } });

    test("skips the node, for one such name stops all of Kilo there", () => {
        const planned = plan([NODE], { unresolvable });
        expect(planned.skipped).toEqual([
            {
                cluster: "src",
                node: "n1",
                reason: "NodeEndpointInvalid",
                message: 'its endpoint "gw.example.com" does not resolve',
                target: "dst",
            },
        ]);
        expect(plan([NODE], { unresolvable: ["other.example.com"] }).skipped).toEqual([]);
    });

    test("keeps the peer that already has it, with a warning: it may be a glitch", () => {
        const planned = plan([NODE], { unresolvable, livePeers: { dst: [written] } });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
        expect(planned.issues).toEqual([
            {
                code: "EndpointUnresolvable",
                severity: "warning",
                path: "src/n1",
                message: '"n1" of "src": its endpoint "gw.example.com" does not resolve; its peer in "dst" is kept',
                fix: "mend the DNS record before Kilo restarts there: it stops configuring anything while a name fails",
            },
        ]);
        const other = ours("m--src--n1", { endpoint: { dnsOrIP: { dns: "old.example.com" }, port: 51820 } });
        expect(reasons(plan([NODE], { unresolvable, livePeers: { dst: [other] } }))).toEqual([
            "src/n1 NodeEndpointInvalid in dst",
        ]);
    });

    test("does not matter where another endpoint was observed", () => {
        const observer = node({
            seed: 8,
            pods: ["10.2.8.0/24"],
            annotations: { "discovered-endpoints": JSON.stringify({ [key(1)]: { IP: "198.51.100.7", Port: 1 } }) },
        });
        const planned = plan([NODE], { unresolvable, nodes: { dst: [observer] } });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n1"]);
    });
});

describe("adopt", () => {
    const labels = { [MESH]: "m", [SOURCE]: "src" };
    const clusters = [source({ serviceCIDR: "10.96.0.0/16" }), target()];
    const facts = { src: readNodes([node({ seed: 1 })], clusters[0]!) };
    const given = (peers: readonly KubePeer[], more: Partial<PlanInput> = {}) =>
        planFromFacts({ mesh: "m", clusters, facts, claims: { dst: "c-dst" }, livePeers: { dst: peers }, ...more });
    const operator = [
        live("m--src--n1", { labels, publicKey: key(1), allowedIPs: ["10.1.1.0/24"] }),
        live("m--src--anchor", { labels, publicKey: key(1), allowedIPs: ["10.96.0.0/16"] }),
        live("m--src--gone", { labels, publicKey: key(7), allowedIPs: ["10.1.7.0/24"] }),
    ];

    test("takes over an operator's peers and names those that are not wanted any more", () => {
        const planned = given(operator, { adopt: true });
        expect(planned.adopted).toEqual({ src: [], dst: ["m--src--anchor", "m--src--gone", "m--src--n1"] });
        expect(Object.keys(planned.peers.dst!)).toEqual(["m--src--n1"]);
        expect(planned.peers.dst!["m--src--n1"]!.spec.allowedIPs).toEqual([
            "10.1.1.0/24",
            "10.4.0.1/32",
            "10.96.0.0/16",
        ]);
        expect(planned.skipped).toEqual([]);
    });

    test("is asked for: otherwise they are somebody else's", () => {
        for (const more of [{}, { adopt: false }]) {
            const planned = given(operator, more);
            expect(planned.adopted).toEqual({ src: [], dst: [] });
            expect(planned.peers.dst).toEqual({});
        }
    });

    test("works without a claim, and takes over those of a lost state", () => {
        const lost = live("m--src--n1", { labels: { ...labels, [CLAIM]: "lost" }, publicKey: key(1) });
        expect(given([lost], { adopt: true, claims: {} }).adopted.dst).toEqual(["m--src--n1"]);
        expect(given([lost], { adopt: true }).adopted.dst).toEqual(["m--src--n1"]);
    });

    test("does not list what is ours already", () => {
        expect(
            given([ours("m--src--n1", { labels: { ...labels, [CLAIM]: "c-dst" } })], { adopt: true }).adopted.dst,
        ).toEqual([]);
    });

    test.each<[string, Record<string, string>]>([
        ["another mesh", { [MESH]: "other", [SOURCE]: "src" }],
        ["no source", { [MESH]: "m" }],
        ["a source that is not in the mesh", { [MESH]: "m", [SOURCE]: "removed" }],
        ["the target itself as source", { [MESH]: "m", [SOURCE]: "dst" }],
    ])("leaves peers with %s alone", (_, other) => {
        const planned = given([live("m--src--n1", { labels: other })], { adopt: true });
        expect(planned.adopted.dst).toEqual([]);
        expect(planned.skipped.map(({ reason }) => reason)).toEqual(["PeerNameForeign"]);
    });
});

describe("segments that come to one name", () => {
    const located = (seed: number, location: string) =>
        node({ seed, annotations: { granularity: "location", location } });
    const both = [located(1, "EU"), located(2, "eu")];
    const names = (nodes: readonly KubeNode[], peers: readonly KubePeer[] = []) =>
        Object.fromEntries(
            Object.entries(plan(nodes, { livePeers: { dst: peers } }).peers.dst!).map(([name, { spec }]) => [
                spec.publicKey,
                name,
            ]),
        );
    const plain = "m--src--location-eu";

    test("each have a name of their own, the same in any order", () => {
        const given = names(both);
        expect(Object.values(given).filter((name) => name === plain)).toHaveLength(1);
        expect(Object.values(given).filter((name) => /^m--src--location-eu-[0-9a-f]{16}$/.test(name))).toHaveLength(1);
        expect(names([...both].reverse())).toEqual(given);
    });

    test("keep the name under which they live, whoever comes and goes", () => {
        const alone = names([both[1]!]);
        expect(alone).toEqual({ [key(2)]: plain });
        for (const first of [1, 2]) {
            const holder = ours(plain, { publicKey: key(first) });
            const given = names(both, [holder]);
            expect(given[key(first)]).toBe(plain);
            const other = key(3 - first);
            const yielded = ours(given[other]!, { publicKey: other });
            expect(names([both[2 - first]!], [yielded])).toEqual({ [other]: given[other] });
            expect(names(both, [yielded])[other]).toBe(given[other]);
        }
    });

    test("of different clusters are told apart too", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [
                { name: "a", podCIDRs: ["10.1.0.0/16"] },
                { name: "a--b", podCIDRs: ["10.2.0.0/16"] },
                { name: "dst", podCIDRs: ["10.3.0.0/16"] },
            ],
            nodes: {
                a: [node({ name: "b--n", seed: 1 })],
                "a--b": [node({ name: "n", seed: 2, pods: ["10.2.1.0/24"] })],
            },
        });
        const found = Object.keys(planned.peers.dst!);
        expect(found).toHaveLength(2);
        expect(found.filter((name) => name === "m--a--b--n")).toHaveLength(1);
    });

    test("a node never yields to a location", () => {
        const nodes = [node({ name: "location-eu", seed: 1 }), located(2, "eu")];
        expect(Object.values(names(nodes))).toContain(plain);
        expect(new Set(Object.values(names(nodes))).size).toBe(2);
        expect(Object.keys(plan([node({ name: "n1" }), located(2, "x")]).peers.dst!)).toEqual([
            "m--src--location-x",
            "m--src--n1",
        ]);
    });
});
