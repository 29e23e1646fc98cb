import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { CLAIM, key, located, node, ours, peersIn, plan, reasons, source, target } from "./fixtures";

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

    test("change nothing while one of the target's nodes sees the configured one", () => {
        const second = {
            ...observer("192.0.2.1", 51820),
            metadata: { ...observer("192.0.2.1", 51820).metadata, name: "z" },
        };
        const planned = peer(plan([NODE], { nodes: { dst: [observer(SEEN), second] } }));
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

    test("are passed over when they lie among the pods of any node of a location", () => {
        const pair = [located({ seed: 1 }), located({ seed: 2, pods: ["10.1.2.0/24", "fd00:1::/64"] })];
        const planned = plan(pair, {
            src: { podCIDRs: ["10.1.0.0/16", "fd00:1::/48"] },
            nodes: { dst: [observer("10.1.2.9", 1)] },
        });
        expect(peersIn(planned)["src--location-eu"]?.spec.endpoint).toEqual(configured);
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

        test("while what is observed now leads into its own tunnel", () => {
            expect(later([recorded()], "10.1.1.9").spec.endpoint).toEqual(adopted.endpoint);
        });

        test.each(["nonsense", "gw.example.com:1", "127.0.0.1:1", "169.254.0.1:1"])("unless they are %s", (text) => {
            const annotations = { ...adopted.annotations, "kilo-clustermesh.io/discovered-endpoint": text };
            expect(later([recorded({ annotations })]).spec.endpoint).toEqual(configured);
        });

        test("until another is observed", () => {
            expect(later([recorded()], "198.51.100.8").annotations).toMatchObject({
                "kilo-clustermesh.io/discovered-endpoint": "198.51.100.8:40123",
            });
        });

        test("though other nodes see another port of the same NAT, in any order", () => {
            const other = {
                ...observer("198.51.100.8"),
                metadata: { ...observer("198.51.100.8").metadata, name: "a" },
            };
            for (const observers of [
                [other, observer(SEEN)],
                [observer(SEEN), other],
            ]) {
                const planned = plan([NODE], { nodes: { dst: observers }, livePeers: { dst: [recorded()] } });
                expect(peer(planned).spec.endpoint).toEqual(adopted.endpoint);
            }
        });

        test("as the configured one does, once a node has seen it too", () => {
            const configuredToo = {
                ...observer("192.0.2.1", 51820),
                metadata: { ...observer("192.0.2.1", 51820).metadata, name: "a" },
            };
            const planned = plan([NODE], { nodes: { dst: [configuredToo, observer(SEEN)] } });
            expect(peer(planned).spec.endpoint).toEqual(configured);
        });

        test("unless they are the configured one: that is not adopted", () => {
            const same = recorded({
                endpoint: configured,
                annotations: {
                    "kilo-clustermesh.io/discovered-endpoint": "192.0.2.1:51820",
                    "kilo-clustermesh.io/configured-endpoint": "192.0.2.1:51820",
                },
            });
            expect(later([same])).not.toHaveProperty("annotations");
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
    const written = (dns: string, publicKey = key(1)) =>
        ours("m--src--n1", { publicKey, endpoint: { dnsOrIP: { dns }, port: 51820 } });

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

    test("keeps the peer that is there, with a warning: it may be a glitch", () => {
        const planned = plan([NODE], { unresolvable, livePeers: { dst: [written("gw.example.com")] } });
        expect(peersIn(planned)["src--n1"]?.spec.endpoint).toEqual({ dnsOrIP: { dns: "gw.example.com" }, port: 51820 });
        expect(planned.issues).toEqual([
            {
                code: "EndpointUnresolvable",
                severity: "warning",
                path: "src/n1",
                message: 'the endpoint "gw.example.com" of "n1" of "src" does not resolve; its peer in "dst" is kept',
                fix: "Fix the DNS record before Kilo restarts there: it stops configuring anything while a name fails",
            },
        ]);
    });

    test("keeps the endpoint that works while the new one does not resolve", () => {
        const planned = plan([NODE], { unresolvable, livePeers: { dst: [written("old.example.com")] } });
        expect(peersIn(planned)["src--n1"]?.spec.endpoint).toEqual({
            dnsOrIP: { dns: "old.example.com" },
            port: 51820,
        });
    });

    test("does not keep a peer whose key is not the node's any more", () => {
        const planned = plan([NODE], { unresolvable, livePeers: { dst: [written("gw.example.com", key(7))] } });
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid in dst"]);
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
