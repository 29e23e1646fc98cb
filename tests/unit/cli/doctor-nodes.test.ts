import { publicKey } from "../../../tools/clusters/node-spec";
import { findings } from "./support/doctor";
import { annotated, healthy, NOW, type Scenario, unmeshed, withCluster } from "./support/scenario";

describe("nodes", () => {
    const changed = (change: Parameters<typeof withCluster>[2], scenario = healthy()) =>
        withCluster(scenario, "berlin", change);
    const annotate = (annotations: Record<string, string>, which: (i: number) => boolean = () => true) =>
        changed((sight) => ({
            ...sight,
            nodes: sight.nodes.map((node, i) => (which(i) ? annotated(node, annotations) : node)),
        }));
    const bare = (which: (i: number) => boolean) =>
        changed((sight) => ({
            ...sight,
            nodes: sight.nodes.map((node, i) =>
                which(i) ? { ...node, metadata: { name: node.metadata!.name! } } : node,
            ),
        }));
    const codes = (scenario: Scenario) => findings(scenario).map(({ code, severity }) => `${severity} ${code}`);

    test("without any annotation of Kilo: some are a warning, all are an error", () => {
        expect(codes(bare((i) => i === 0))).toContain("warning NodeWithoutKilo");
        expect(codes(bare(() => true))).toContain("error NodeWithoutKilo");
    });

    test("a cluster without nodes is a warning, unless it may be empty", () => {
        const empty: Parameters<typeof withCluster>[2] = (sight) => ({ ...sight, nodes: [], peers: [] });
        expect(codes(changed(empty))).toContain("warning NoNodes");
        const allowed = healthy({ specs: { berlin: { allowEmpty: true } } });
        expect(codes(changed(empty, allowed))).toContain("info NoNodes");
    });

    test("granularity that differs, is unknown, or exists in patched builds only", () => {
        expect(codes(annotate({ "kilo.squat.ai/granularity": "location" }, (i) => i === 0))).toContain(
            "warning GranularityMixed",
        );
        expect(codes(annotate({ "kilo.squat.ai/granularity": "zone" }))).toContain("info GranularityUnknown");
        expect(codes(annotate({ "kilo.squat.ai/granularity": "cross" }))).toContain("info GranularityCross");
    });

    test("not seen for a minute: how many, for how long, and where to look", () => {
        const [found] = findings(annotate({ "kilo.squat.ai/last-seen": String(NOW - 7_300) }, (i) => i === 1));
        expect(found).toMatchObject({
            code: "NodeStale",
            severity: "warning",
            what: "1 node of 3 not seen by Kilo for a minute or more, the longest for 2 hours: berlin-n2",
        });
        expect(found?.next).toContain("--field-selector spec.nodeName=berlin-n2");
    });

    test("all of them not seen: perhaps the clocks differ", () => {
        const [found] = findings(annotate({ "kilo.squat.ai/last-seen": String(NOW - 90) }));
        expect(found?.why).toContain("clocks");
    });

    test("a key that another node has, or that is none, is told with what to look at", () => {
        const twin = annotate({ "kilo.squat.ai/key": publicKey("hub", "hub-n1") }, (i) => i === 0);
        expect(codes(unmeshed(twin))).toContain("error NodePublicKeyDuplicate");
        const all = findings(unmeshed(annotate({ "kilo.squat.ai/key": "short" }, (i) => i === 0)));
        const found = all.find(({ code }) => code === "NodePublicKeyInvalid");
        expect(found).toMatchObject({ node: "berlin-n1", severity: "error" });
        expect(found?.next).toBe(
            "kubectl --kubeconfig berlin.kubeconfig get node berlin-n1 -o jsonpath='{.metadata.annotations.kilo\\.squat\\.ai/key}'",
        );
    });

    test("a node that cannot say who it is, and has peers, is told once: they are kept", () => {
        const all = findings(annotate({ "kilo.squat.ai/key": "short" }, (i) => i === 1));
        expect(all).toMatchObject([
            {
                code: "PeerHeld",
                severity: "warning",
                cluster: "berlin",
                node: "berlin-n2",
                check: "nodes fit the mesh",
            },
        ]);
        expect(all[0]?.next).toContain("get node berlin-n2 -o jsonpath=");
    });

    test("a WireGuard address that cannot be used costs the node nothing else, and is a notice", () => {
        const spec = { berlin: { wireguardCIDR: "10.99.0.0/16" } };
        const none = changed((found) => found, healthy({ specs: spec }));
        expect(codes(none)).toEqual(["info WireguardAddressLeftOut"]);
    });

    test("behind NAT without a keepalive of their own", () => {
        const nat = healthy({ specs: { berlin: { nat: true } } });
        const [found] = findings(nat);
        expect(found).toMatchObject({ code: "NatWithoutKeepalive", severity: "warning", cluster: "berlin" });
        expect(found?.next).toContain("annotate nodes --all kilo.squat.ai/persistent-keepalive=25");
        const kept = changed(
            (sight) => ({
                ...sight,
                nodes: sight.nodes.map((node) => annotated(node, { "kilo.squat.ai/persistent-keepalive": "25" })),
            }),
            nat,
        );
        expect(findings(kept)).toEqual([]);
    });

    test("in a range or at an address that another member declares", () => {
        const found = findings(
            changed((sight) => ({
                ...sight,
                nodes: sight.nodes.map((node, i) =>
                    i === 0 ? { ...node, status: { addresses: [{ type: "InternalIP", address: "10.18.7.7" }] } } : node,
                ),
            })),
        );
        expect(found).toContainEqual(
            expect.objectContaining({
                code: "NodeAddressElsewhere",
                severity: "warning",
                node: "berlin-n1",
                what: "its address 10.18.7.7 overlaps 10.18.0.0/16 (podCIDRs of tokyo)",
            }),
        );
    });
});

describe("endpoints", () => {
    const privately = (name: string): Scenario => healthy({ node: { [name]: { endpoint: "192.168.3.4:51820" } } });
    const silent = (scenario: Scenario): Scenario =>
        ["hub", "tokyo"].reduce(
            (all, name) =>
                withCluster(all, name, (sight) => ({
                    ...sight,
                    nodes: sight.nodes.map((node) => annotated(node, { "kilo.squat.ai/discovered-endpoints": "{}" })),
                })),
            scenario,
        );

    test("private ones are a warning while nobody had a handshake through them", () => {
        const [found] = findings(silent(privately("berlin-n1")));
        expect(found).toMatchObject({ code: "EndpointPrivate", cluster: "berlin", severity: "warning" });
        expect(found?.what).toContain("192.168.3.4");
    });

    test("private ones that work are fine", () => {
        expect(findings(privately("berlin-n1"))).toEqual([]);
    });

    test("names are told, because Kilo resolves them once", () => {
        const named = healthy({ node: { "berlin-n1": { clustermeshEndpoint: "gw.example.com:51820" } } });
        expect(findings(named)).toMatchObject([{ code: "EndpointByName", severity: "info", cluster: "berlin" }]);
    });
});
