import type { LivePeer } from "../../../provider/kube";
import { assess } from "../../../sdk/cli/assess";
import type { Finding } from "../../../sdk/cli/doctor/finding";
import { doctorReport } from "../../../sdk/cli/doctor/report";
import { doctorText } from "../../../sdk/cli/doctor/text";
import { plain } from "../../../sdk/cli/render/paint";
import type { ClusterSight } from "../../../sdk/cli/sight";
import { publicKey } from "../../../tools/clusters/node-spec";
import { annotated, healthy, NOW, permissions, type Scenario, withCluster } from "./support/scenario";

const report = ({ mesh, sight }: Scenario) => doctorReport(assess(mesh, sight), { cwd: "/srv", file: "prod.yaml" });

/** What is found besides the two things that no API tells. */
const findings = (scenario: Scenario): readonly Finding[] =>
    report(scenario).findings.filter(({ code }) => !["MtuNotVisible", "VersionNotVisible"].includes(code));

const withPeer = (name: string, spec: Partial<LivePeer["spec"]>, scenario = healthy()): Scenario =>
    withCluster(scenario, "hub", (sight) => ({
        ...sight,
        peers: [
            ...sight.peers,
            {
                metadata: { name, uid: name },
                spec: {
                    allowedIPs: ["10.200.1.0/24"],
                    publicKey: publicKey("elsewhere", name),
                    endpoint: { dnsOrIP: { ip: "198.51.100.9" }, port: 51820 },
                    ...spec,
                },
            },
        ],
    }));

describe("a member that cannot be read", () => {
    const failing = (failure: Partial<Extract<ClusterSight, { answers: false }>>): Scenario =>
        withCluster(healthy(), "tokyo", () => ({
            answers: false,
            kind: "unreachable",
            message: "cluster tokyo: it failed",
            fix: "mend it",
            ...failure,
        }));

    test.each([
        ["unreachable", "timeout", "Unreachable", [], "get --raw /livez"],
        ["unreachable", "tls", "TlsFailed", ["answers"], "get --raw /livez"],
        ["unauthorized", undefined, "NotSignedIn", ["answers", "TLS"], "auth whoami"],
        ["forbidden", undefined, "PermissionMissing", ["answers", "TLS", "signs in"], "apply -f"],
        [
            "crd-missing",
            undefined,
            "PeerKindMissing",
            ["answers", "TLS", "signs in", "permissions"],
            "get crd peers.kilo.squat.ai",
        ],
        ["config", undefined, "KubeconfigUnusable", [], "config view --minify"],
    ] as const)("%s (%s) is %s", (kind, network, code, passed, next) => {
        const scenario = failing({ kind, ...(network === undefined ? {} : { network }) });
        const [found, ...rest] = findings(scenario).filter(({ cluster }) => cluster === "tokyo");
        expect(rest).toEqual([]);
        expect(found).toMatchObject({ code, severity: "error" });
        expect(found?.next).toContain(next);
        const health = report(scenario).clusters.find(({ cluster }) => cluster === "tokyo");
        expect(health?.passed).toEqual(passed);
        expect(health?.notChecked).toContain("mesh peers");
    });

    test("hides nothing of the others", () => {
        const { clusters } = report(failing({}));
        expect(clusters.slice(0, 2).map(({ passed }) => passed.length)).toEqual([14, 14]);
    });
});

describe("permissions", () => {
    const allowed = (reviewed: ReturnType<typeof permissions>): Scenario => {
        const { mesh, sight } = healthy();
        return { mesh, sight: { ...sight, permissions: { ...sight.permissions, hub: reviewed } } };
    };

    test("each verb that is missing is named, with the manifest to apply", () => {
        const found = findings(allowed(permissions(["patch peers", "delete peers"])));
        expect(found.map(({ what }) => what)).toEqual([
            "the account may not patch peers.kilo.squat.ai",
            "the account may not delete peers.kilo.squat.ai",
        ]);
        expect(found[0]?.next).toBe(
            "kubectl apply -f node_modules/pulumi-kilo-clustermesh/docs/rbac.yaml   # as an administrator of hub",
        );
    });

    test("a cluster that does not tell is no failure", () => {
        const unknown = permissions().map((each) => ({ ...each, allowed: "unknown" as const }));
        expect(findings(allowed(unknown))).toMatchObject([{ code: "PermissionUnknown", severity: "info" }]);
    });

    test("a Secret that holds another member's kubeconfig must be readable", () => {
        const secret = { verb: "get", group: "", resource: "secrets", namespace: "capi", name: "tokyo-kubeconfig" };
        const [found] = findings(allowed([{ ...secret, allowed: false }]));
        expect(found?.what).toBe("the account may not get secrets capi/tokyo-kubeconfig");
        expect(found?.next).toContain("auth can-i get secrets/tokyo-kubeconfig -n capi");
    });
});

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
        expect(codes(annotate({ "kilo.squat.ai/key": publicKey("hub", "hub-n1") }, (i) => i === 0))).toEqual(
            expect.arrayContaining(["error NodePublicKeyDuplicate"]),
        );
        const all = findings(annotate({ "kilo.squat.ai/key": "short" }, (i) => i === 0));
        const found = all.find(({ code }) => code === "NodePublicKeyInvalid");
        expect(found).toMatchObject({ node: "berlin-n1", severity: "error" });
        expect(found?.next).toBe(
            "kubectl --kubeconfig berlin.kubeconfig get node berlin-n1 -o jsonpath='{.metadata.annotations.kilo\\.squat\\.ai/key}'",
        );
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

describe("traps in peers that are there, whoever wrote them", () => {
    test.each([
        ["PeerUnmasked", "error", { allowedIPs: ["10.200.0.5/16"] }],
        ["PeerDefaultRoute", "error", { allowedIPs: ["0.0.0.0/0"] }],
        ["PeerIgnored", "warning", { allowedIPs: ["somewhere"] }],
        ["PeerIgnored", "warning", { publicKey: "short" }],
        ["PeerTakesOwnPods", "error", { allowedIPs: ["10.16.1.0/24"] }],
        ["PeerOfOwnNode", "error", { publicKey: publicKey("hub", "hub-n2") }],
        ["PeerEndpointLoop", "error", { allowedIPs: ["198.51.100.0/24"] }],
        ["PeerEndpointTwice", "warning", { endpoint: { dnsOrIP: { ip: "198.51.100.9", dns: "a.example" }, port: 1 } }],
        ["PeerWithoutKeepalive", "warning", { endpoint: undefined }],
        ["PeerKeepaliveTooLong", "warning", { persistentKeepalive: 25_000_000_000 }],
        ["PeerKeyTwice", "error", { publicKey: publicKey("berlin", "berlin-n1") }],
        ["PeerNetworkTwice", "error", { allowedIPs: ["10.17.1.0/24"] }],
    ] as const)("%s", (code, severity, spec) => {
        const { endpoint, ...rest } = { endpoint: { dnsOrIP: { ip: "198.51.100.9" }, port: 51820 }, ...spec };
        const scenario = withPeer("laptop", { ...rest, ...(endpoint ? { endpoint } : {}) } as Partial<
            LivePeer["spec"]
        >);
        const bare = endpoint === undefined ? withoutEndpoint(scenario) : scenario;
        const found = findings(bare).filter(({ peer }) => peer === "laptop");
        expect(found).toContainEqual(expect.objectContaining({ code, severity, cluster: "hub" }));
        expect(found[0]?.next).toBe("kubectl --kubeconfig hub.kubeconfig get peer laptop -o yaml");
    });

    const withoutEndpoint = (scenario: Scenario): Scenario =>
        withCluster(scenario, "hub", (sight) => ({
            ...sight,
            peers: sight.peers.map(({ metadata, spec: { endpoint, ...spec } }) => ({
                metadata,
                spec: metadata.name === "laptop" || endpoint === undefined ? spec : { ...spec, endpoint },
            })),
        }));

    test("a name that does not resolve stops all of Kilo there", () => {
        const { mesh, sight } = withPeer("laptop", { endpoint: { dnsOrIP: { dns: "gone.example" }, port: 51820 } });
        const found = findings({ mesh, sight: { ...sight, unresolvable: ["gone.example"] } });
        expect(found).toMatchObject([{ code: "PeerEndpointUnresolvable", severity: "error" }]);
    });

    test("a sound peer of somebody else is no finding", () => {
        expect(findings(withPeer("laptop", {}))).toEqual([]);
    });

    test("what stands in the way of the mesh is shown: the very peer", () => {
        const found = findings(withPeer("laptop", { allowedIPs: ["10.17.1.0/25"] }));
        const conflict = found.find(({ code }) => code === "PeerNetworkForeign");
        expect(conflict).toMatchObject({ cluster: "hub", node: "berlin-n1", severity: "error" });
        expect(conflict?.next).toBe("kubectl --kubeconfig hub.kubeconfig get peer laptop -o yaml");
    });
});

describe("whose the mesh's peers are", () => {
    const claimed = (claim: (i: number) => string | undefined): Scenario =>
        withCluster(healthy(), "hub", (sight) => ({
            ...sight,
            peers: sight.peers.map((peer, i) => {
                const { "kilo-clustermesh.io/claim": _, ...labels } = peer.metadata.labels ?? {};
                const given = claim(i);
                return {
                    ...peer,
                    metadata: {
                        ...peer.metadata,
                        labels: given === undefined ? labels : { ...labels, "kilo-clustermesh.io/claim": given },
                    },
                };
            }),
        }));

    test("two stacks at one mesh are a warning", () => {
        expect(findings(claimed((i) => `claim-${i % 2}`))).toMatchObject([
            { code: "PeersOfTwoStacks", severity: "warning" },
        ]);
    });

    test("peers without a claim are told, with how to list them", () => {
        const [found] = findings(claimed(() => undefined));
        expect(found).toMatchObject({ code: "PeersUnclaimed", severity: "info" });
        expect(found?.next).toContain("get peers -l 'kilo-clustermesh.io/mesh=global,!kilo-clustermesh.io/claim'");
    });
});

test("what planning found about the mesh is told too: two members behind NAT cannot meet", () => {
    const both = healthy({ specs: { berlin: { nat: true }, tokyo: { nat: true } } });
    expect(findings(both)).toContainEqual(expect.objectContaining({ code: "NatToNat", severity: "warning" }));
});

test("the command to run next names the mesh file that was given", () => {
    const missing = withCluster(healthy(), "hub", (sight) => ({ ...sight, peers: sight.peers.slice(1) }));
    expect(findings(missing)[0]?.next).toBe("npx kilo-clustermesh plan --target hub -f prod.yaml");
});

test("many findings of one kind are cut short in text, and complete in JSON", () => {
    const scenario = healthy({ nodes: 30 });
    const broken = withCluster(scenario, "hub", (sight) => ({
        ...sight,
        nodes: sight.nodes.map((node) => annotated(node, { "kilo.squat.ai/key": "short" })),
    }));
    const full = report(broken);
    expect(full.findings.filter(({ code }) => code === "NodePublicKeyInvalid")).toHaveLength(30);
    const text = doctorText(full, { paint: plain, width: 100 }).join("\n");
    expect(text).toContain("… and 25 more NodePublicKeyInvalid: --json has them all");
});

test("a name from a cluster cannot become a command", () => {
    const hostile = withPeer("x; rm -rf $HOME 'y'", { allowedIPs: ["0.0.0.0/0"] });
    expect(findings(hostile)[0]?.next).toBe(
        `kubectl --kubeconfig hub.kubeconfig get peer 'x; rm -rf $HOME '\\''y'\\''' -o yaml`,
    );
});
