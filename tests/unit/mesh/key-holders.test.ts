import { planMesh } from "../../../provider/mesh/index";
import type { Topology } from "../../../provider/mesh/types";
import { key, node, peersIn } from "./fixtures";

/**
 * Nodes of `a` and `b` claim one key, and `c` still has a peer of `b` with it. Without that peer `a`, the first by name, has it.
 */
function planned(theirs: Parameters<typeof node>[0], topology?: Topology) {
    return planMesh({
        mesh: "m",
        clusters: ["a", "b", "c"].map((name, i) => ({
            name,
            podCIDRs: [`10.${i + 1}.0.0/16`],
            wireguardCIDR: `100.64.${i}.0/24`,
        })),
        claims: { a: "claim-a", b: "claim-b", c: "claim-c" },
        nodes: {
            a: [node({ seed: 1, pods: ["10.1.1.0/24"], annotations: { "wireguard-ip": "100.64.0.1/24" } })],
            b: [node({ seed: 1, pods: ["10.2.1.0/24"], annotations: { "wireguard-ip": "100.64.1.1/24" }, ...theirs })],
            c: [],
        },
        livePeers: {
            c: [
                {
                    metadata: {
                        name: "m--b--n1",
                        uid: "1",
                        labels: { "kilo-clustermesh.io/claim": "claim-c", "kilo-clustermesh.io/source-cluster": "b" },
                    },
                    spec: { publicKey: key(1), allowedIPs: ["10.2.1.0/24"] },
                },
            ],
        },
        ...(topology === undefined ? {} : { topology }),
    });
}

const inC = (...args: Parameters<typeof planned>): string[] => Object.keys(peersIn(planned(...args), "c"));

test("a key that two clusters claim stays with the one for which a target has it", () => {
    expect(inC({})).toEqual(["b--n1"]);
});

test("a target does not speak for a cluster that it is no longer joined with", () => {
    expect(inC({}, { hubs: ["a"] })).toEqual(["a--n1"]);
});

test("a cluster whose node is left out for another reason does not keep the key from the other", () => {
    expect(inC({ annotations: { "wireguard-ip": undefined } })).toEqual(["a--n1"]);
});
