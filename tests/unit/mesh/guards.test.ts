import { endpointNames, parseEndpoint } from "../../../provider/kilo/endpoint";
import { readNodes } from "../../../provider/kilo/read-nodes";
import type { KubePeer, NodeFacts } from "../../../provider/kilo/types";
import { nearestName, pathText } from "../../../provider/mesh/args/schema";
import { validateMesh } from "../../../provider/mesh/args/validate";
import { planFromFacts } from "../../../provider/mesh/plan/plan";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { hasErrors, issue } from "../../../provider/mesh/report/findings";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { hostOf, networkOf, outermost, parseCidr } from "../../../provider/net/cidr";
import { eachOverlap } from "../../../provider/net/overlaps";
import { joinLines, splitLines } from "../../../provider/state/line-list";
import { shown } from "../../../provider/values/show";
import { text } from "../../../provider/values/untrusted";
import { at, codes, key, located, node, peersIn, plan, reasons, routes, source, target } from "./fixtures";

const foreign = (metadata: object, spec: object): KubePeer => ({ metadata, spec }) as KubePeer;

describe("networks", () => {
    test("the host of a prefix that is too long is none", () => {
        expect(hostOf("10.4.0.1/33")).toBeUndefined();
        expect(hostOf("10.4.0.1/32")).toBe("10.4.0.1");
    });

    test("the last address of a block lies inside it", () => {
        const list = ["10.0.0.255/32", "10.0.0.0/24", "10.0.1.0/32"].map((text) => networkOf(text)!);
        expect(outermost(list).map(({ text }) => text)).toEqual(["10.0.0.0/24", "10.0.1.0/32"]);
    });

    test("a prefix without an address is no network, rather than one without prefix", () => {
        expect(parseCidr("/24")).toMatchObject({ problem: "is not a network" });
        expect(parseCidr("10.0.0.0")).toMatchObject({ problem: "has no prefix length" });
    });

    test.each([
        [["10.0.0.0/16", "10.0.0.0/8", "10.0.0.0/24"]],
        [["10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/24"]],
        [["10.0.0.0/24", "10.0.0.0/16", "10.0.0.0/8"]],
    ])("%j nest in one way, whichever is named first", (texts) => {
        const pairs: string[] = [];
        eachOverlap(
            texts.map((text) => ({ network: networkOf(text)!, owner: text })),
            ({ outer, inner }) => pairs.push(`${outer.owner} ${inner.owner}`),
        );
        expect(pairs.sort()).toEqual(["10.0.0.0/16 10.0.0.0/24", "10.0.0.0/8 10.0.0.0/16", "10.0.0.0/8 10.0.0.0/24"]);
    });
});

describe("endpoints", () => {
    test.each(["a:1", "gw.x:1", "a.b.c:1"])("names and labels may be one letter: %s", (text) => {
        expect(parseEndpoint(text)?.text).toBe(text);
    });

    test("only names are looked up", () => {
        const facts = (kiloEndpoint: string): NodeFacts => ({
            name: "n",
            podCIDRs: [],
            internalIPs: [],
            externalIPs: [],
            kiloEndpoint,
        });
        expect(endpointNames([facts("192.0.2.1:1"), facts("gw.example:1")])).toStrictEqual(["gw.example"]);
    });
});

describe("no peer leads where its own tunnel begins", () => {
    const nodeCIDRs = ["192.168.7.0/24"];
    const looping = { annotations: { endpoint: "192.168.7.1:1" }, addresses: at("192.168.7.1") };
    const alone = ["10.1.1.0/24", "10.4.0.1/32"];

    test("whether or not other nodes have addresses", () => {
        expect(routes(plan([node({ seed: 1, ...looping }), node({ seed: 2 })], { src: { nodeCIDRs } }))).toEqual({
            "src--n1": alone,
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("whether or not other clusters have addresses", () => {
        const planned = planMesh({
            mesh: "m",
            clusters: [source({ nodeCIDRs }), target(), { name: "third", podCIDRs: ["10.3.0.0/16"] }],
            nodes: { src: [node({ seed: 1, ...looping })], third: [node({ seed: 3, pods: ["10.3.1.0/24"] })] },
        });
        expect(routes(planned)).toEqual({ "src--n1": alone, "third--n3": ["10.3.1.0/24"] });
    });

    test("whether or not every node of the location has addresses", () => {
        const leader = located({
            seed: 1,
            annotations: { leader: "", endpoint: "192.168.7.1:1" },
            addresses: at("192.168.7.1"),
        });
        expect(routes(plan([leader, located({ seed: 2 })], { src: { nodeCIDRs } }))).toEqual({
            "src--location-eu": ["10.1.1.0/24", "10.1.2.0/24", "10.4.0.1/32"],
        });
    });

    test.each([
        ["none", undefined],
        ["a name", "gw.example:1"],
    ])("where the endpoint of another is %s", (_, endpoint) => {
        const other = node({ seed: 2, annotations: { endpoint } });
        expect(routes(plan([node({ seed: 1, ...looping }), other], { src: { nodeCIDRs } }))).toEqual({
            "src--n1": alone,
            "src--n2": ["10.1.2.0/24", "10.4.0.2/32"],
        });
    });

    test("a malformed endpoint costs its node, not the plan", () => {
        const planned = plan([node({ seed: 1, annotations: { endpoint: "x" } }), node({ seed: 2 })], {
            src: { nodeCIDRs },
        });
        expect(Object.keys(peersIn(planned))).toEqual(["src--n2"]);
        expect(reasons(planned)).toEqual(["src/n1 NodeEndpointInvalid"]);
    });

    test("an address in stored facts that cannot be read is passed over", () => {
        const [facts] = readNodes([node({ seed: 1 })], source());
        const planned = planFromFacts({
            mesh: "m",
            clusters: [source({ nodeCIDRs }), target()],
            facts: { src: [{ ...facts!, internalIPs: ["nowhere", "192.168.7.9"] }] },
        });
        expect(planned.peers.dst!["m--src--n1"]!.spec.allowedIPs).toEqual([...alone, "192.168.7.9/32"]);
    });
});

describe("what somebody uses in a target", () => {
    const stranger = (allowedIPs: readonly unknown[]) => ({
        dst: [foreign({ name: "x" }, { allowedIPs })] as KubePeer[],
    });

    test("is kept from nodes without a WireGuard address too", () => {
        const clusters: ClusterSpec[] = [{ name: "src", podCIDRs: ["10.1.0.0/16"] }, target()];
        const planned = plan([node({ seed: 1 }), node({ seed: 2 })], {
            clusters,
            livePeers: stranger(["10.1.1.0/24"]),
        });
        expect(routes(planned)).toEqual({ "src--n2": ["10.1.2.0/24"] });
        expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
    });

    test("is not routed with a leader whose own pods the selector leaves out", () => {
        const planned = plan(
            [located({ seed: 1, annotations: { leader: "" } }), located({ seed: 2, labels: { pool: "mesh" } })],
            { src: { nodeSelector: { pool: "mesh" } }, livePeers: stranger(["10.4.0.1/32"]) },
        );
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24"] });
        expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
    });

    test.each([[[7, "x", null, "10.1.1.0/24"]], [["10.1.1.0/24", "x", 7]], [["10.0.0.0/8", "x"]]])(
        "counts though other entries of the list %j cannot be read",
        (allowedIPs) => {
            const planned = plan([node({ seed: 1 })], { livePeers: stranger(allowedIPs) });
            expect(reasons(planned)).toEqual(["src/n1 PeerNetworkForeign in dst"]);
        },
    );

    test.each([[{}], [{ name: "" }], [{ name: 7 }]])(
        "is nobody's with the metadata %j: that is no object",
        (metadata) => {
            const peer = foreign(metadata, { publicKey: key(1), allowedIPs: ["10.1.1.0/24"] });
            expect(reasons(plan([node({ seed: 1 })], { livePeers: { dst: [peer] } }))).toEqual([]);
        },
    );
});

describe("locations", () => {
    test("carry the pods of their nodes in the order of addresses", () => {
        const planned = plan([located({ seed: 1, pods: ["10.1.9.0/24"] }), located({ seed: 2 })]);
        expect(routes(planned)).toEqual({ "src--location-eu": ["10.1.2.0/24", "10.1.9.0/24", "10.4.0.1/32"] });
    });

    test("of two with one WireGuard address the first by name has it", () => {
        const planned = plan([
            located({ seed: 1, annotations: { location: "us", "wireguard-ip": "10.4.0.9/16" } }),
            located({ seed: 2, annotations: { "wireguard-ip": "10.4.0.9/16" } }),
        ]);
        expect(Object.keys(peersIn(planned))).toEqual(["src--location-eu"]);
        expect(reasons(planned)).toEqual(["src/n1 WGIPDuplicate"]);
    });
});

describe("what was known before, and what is read now", () => {
    test("of two nodes with one name, which no API server has, one stays", () => {
        expect(readNodes([node({ seed: 1 }), node({ name: "n1", seed: 2 })], source())).toHaveLength(1);
    });

    test("a node without a name was never known", () => {
        const [facts] = readNodes([node({ seed: 1 })], source());
        const planned = plan([], { lastKnown: { src: [{ ...facts!, name: "" }] } });
        expect(codes(planned)).toEqual([]);
        expect(planned.peers.dst).toEqual({});
    });

    test("a text that is as long as it may be is not cut", () => {
        expect(text("12345", 5)).toBe("12345");
        expect(text("123456", 5)).toBe("12345…");
    });

    test("lines are sorted by name, and one without a space is a name alone", () => {
        expect(joinLines({ b: "2", c: "3", a: "1" })).toBe("a 1\nb 2\nc 3");
        expect(joinLines({ c: "3", b: "2", a: "1" })).toBe("a 1\nb 2\nc 3");
        expect(splitLines("a\nb 2")).toEqual({ a: "", b: "2" });
        expect(splitLines(" 1")).toEqual({ "": "1" });
    });

    test("a time that is not a text cannot be read, and is long ago", () => {
        const odd = node();
        Object.assign(odd.metadata!.annotations!, { "kilo.squat.ai/last-seen": 990 });
        expect(codes(plan([odd], { now: 1000 }))).toEqual(["warning NodeStale src"]);
    });

    test("a clock that says nothing makes nothing stale", () => {
        const seen = [node({ annotations: { "last-seen": "1" } })];
        expect(codes(plan(seen, { now: Number.POSITIVE_INFINITY }))).toEqual([]);
        expect(codes(plan(seen, { now: Number.NaN }))).toEqual([]);
    });

    test("an endpoint on record that is the configured one is no adopted one", () => {
        const live = foreign(
            {
                name: "m--src--n1",
                labels: { "kilo-clustermesh.io/claim": "c-dst" },
                annotations: {
                    "kilo-clustermesh.io/discovered-endpoint": "192.0.2.1:51820",
                    "kilo-clustermesh.io/configured-endpoint": "192.0.2.1:51820",
                },
            },
            { publicKey: key(1) },
        );
        expect(peersIn(plan([node()], { livePeers: { dst: [live] } }))["src--n1"]).not.toHaveProperty("annotations");
    });
});

describe("findings", () => {
    const said = (cluster: object) =>
        validateMesh({ mesh: "m", clusters: [cluster, target()] }).map(({ message }) => message);

    test("about a cluster without a name say so by showing none", () => {
        expect(said({ podCIDRs: [] })).toContain('"" declares no pod network');
        expect(said({ podCIDRs: ["10.1.0.0/16"], kubeconfig: "x", local: true })).toContain(
            'kubeconfig and local are both given for ""',
        );
        expect(said({ podCIDRs: ["10.2.0.0/24"] })).toContain(
            '10.2.0.0/16 of "dst" overlaps 10.2.0.0/24 of "" (clusters[0].podCIDRs[0])',
        );
    });

    test("that are warnings stop nothing", () => {
        const found = (severity: "error" | "warning" | "info") => issue(severity, "X", "", "m", "f");
        expect(hasErrors([found("warning"), found("info")])).toBe(false);
        expect(hasErrors([found("warning"), found("error")])).toBe(true);
    });

    test("about a node that is skipped everywhere name no target", () => {
        expect(plan([node({ pods: [] })]).skipped[0]).toStrictEqual({
            cluster: "src",
            node: "n1",
            reason: "NodeNoPodCIDR",
            message: "it has no pod CIDR yet",
        });
    });

    test("quote a field of which only the end looks like a name", () => {
        expect(pathText(["clusters", 0, "a b"])).toBe('clusters[0]["a b"]');
    });

    test.each<[string, readonly string[], string | undefined]>([
        ["abc", ["abd", "abc"], "abc"],
        ["ad", ["ab", "ac"], "ab"],
        ["ado", ["adopt"], "adopt"],
        ["ad", ["adopt"], undefined],
        ["persistentKeep", ["persistentKeepalive"], "persistentKeepalive"],
        ["persistent", ["persistentKeepalive"], undefined],
    ])("take %s for the nearest of %j, if it can be a slip", (name, known, nearest) => {
        expect(nearestName(name, known)).toBe(nearest);
    });

    test("show no more of a value than a glance takes in, however it has to be escaped", () => {
        expect(shown("\u0000".repeat(80))).toHaveLength(2 * 80 + 3);
        expect(shown("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
        expect(shown('"'.repeat(80))).toBe(`"${'\\"'.repeat(80)}"`);
    });
});
