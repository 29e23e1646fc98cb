import type { KubePeer } from "../../../provider/kilo/types";
import { CLAIM_LABEL, MESH_ID_LABEL } from "../../../provider/values/labels";
import { publicKey } from "../../../tools/clusters/node-spec";
import { findings, withPeer } from "./support/doctor";
import { healthy, type Scenario, unmeshed, withCluster } from "./support/scenario";

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
        const found = findings(withPeer("laptop", spec as KubePeer["spec"])).filter(({ peer }) => peer === "laptop");
        expect(found).toContainEqual(expect.objectContaining({ code, severity, cluster: "hub" }));
        expect(found[0]?.next).toBe("kubectl --kubeconfig hub.kubeconfig get peer laptop -o yaml");
    });

    test("a name that does not resolve stops all of Kilo there", () => {
        const { mesh, sight } = withPeer("laptop", { endpoint: { dnsOrIP: { dns: "gone.example" }, port: 51820 } });
        const found = findings({ mesh, sight: { ...sight, unresolvable: ["gone.example"] } });
        expect(found).toMatchObject([{ code: "PeerEndpointUnresolvable", severity: "error" }]);
    });

    test("a sound peer of somebody else is no finding", () => {
        expect(findings(withPeer("laptop", {}))).toEqual([]);
    });

    test("what stands in the way of the mesh is shown: the very peer", () => {
        const found = findings(withPeer("laptop", { allowedIPs: ["10.17.1.0/25"] }, unmeshed(healthy())));
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
                const { [CLAIM_LABEL]: _, [MESH_ID_LABEL]: __, ...labels } = peer.labels;
                const given = claim(i);
                const own = given === undefined ? {} : { [CLAIM_LABEL]: given, [MESH_ID_LABEL]: `mesh-of-${given}` };
                return { ...peer, labels: { ...labels, ...own } };
            }),
        }));

    test("a mesh of which nothing is there yet is told from one that lost peers", () => {
        const why = (scenario: Scenario) => findings(scenario).map((found) => found.why);
        const fresh = unmeshed(healthy());
        expect(why(fresh)).toEqual(
            Array(3).fill(expect.stringContaining("pulumi up has not run yet, or all were deleted")),
        );
        const lost = withCluster(healthy(), "hub", (sight) => ({ ...sight, peers: [] }));
        expect(why(lost)).toEqual([expect.stringContaining("traffic of these links may be lost")]);
    });

    test("two stacks at one mesh are a warning", () => {
        expect(findings(claimed((i) => `claim-${i % 2}`))).toMatchObject([
            { code: "PeersOfTwoStacks", severity: "warning" },
        ]);
    });

    test("peers of a member that was replaced are the same mesh's, by its id", () => {
        const scenario = withCluster(healthy(), "hub", (found) => ({
            ...found,
            peers: found.peers.map((peer, i) =>
                i > 0 ? peer : { ...peer, labels: { ...peer.labels, [CLAIM_LABEL]: "x" } },
            ),
        }));
        expect(findings(scenario).map(({ code }) => code)).toEqual(["PeersNotAsPlanned"]);
    });

    test("peers without a claim are told, with how to list them", () => {
        const [found] = findings(claimed(() => undefined));
        expect(found).toMatchObject({ code: "PeersUnclaimed", severity: "info" });
        expect(found?.next).toContain("get peers -l 'kilo-clustermesh.io/mesh=global,!kilo-clustermesh.io/claim'");
    });
});
