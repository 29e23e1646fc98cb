import { readHandshakes } from "../../../../provider/kilo/observations";
import { readPeer } from "../../../../provider/kilo/peer";
import { readNodes } from "../../../../provider/kilo/read-nodes";
import { tracer } from "../../../../provider/mesh/trace/trace";
import type { TraceInput } from "../../../../provider/mesh/trace/types";
import { addressOf } from "../../../../provider/net/address";
import fc from "../../../support/chance";
import { kiloModel } from "../../../support/kilo-model/kilo-model";
import { NOW, RANDOM_MESH, type RandomMesh } from "./random-mesh";

const inputOf = ({ specs, nodes, peers }: RandomMesh): TraceInput => ({
    clusters: Object.fromEntries(
        specs.map((spec) => [
            spec.name,
            {
                spec,
                nodes: readNodes(nodes[spec.name]!, spec, NOW),
                peers: peers[spec.name]!.flatMap((peer) => readPeer(peer) ?? []),
                handshakes: readHandshakes(nodes[spec.name]!),
            },
        ]),
    ),
    unresolvable: [],
    resolved: {},
});

const modelOf = ({ specs, nodes, peers }: RandomMesh) => {
    const clusters = specs.map(({ name }) => [name, { nodes: nodes[name]!, peers: peers[name]! }]);
    const natted = new Set(specs.flatMap(({ name, nat }) => (nat === true ? name : [])));
    return kiloModel(Object.fromEntries(clusters), {
        now: NOW,
        traffic: false,
        natted: ({ cluster }) => natted.has(cluster),
    });
};

const podOf = (cidr: string): string => cidr.replace(/\.0\/24$/, ".2");

test("trace says what the model of Kilo says of every pair of pods, in random meshes that were damaged", () => {
    const verdicts = { ok: 0, broken: 0 };
    const codes = new Set<string>();
    fc.assert(
        fc.property(RANDOM_MESH, (mesh) => {
            const trace = tracer(inputOf(mesh));
            const model = modelOf(mesh);
            const pods = mesh.specs.flatMap(({ name: cluster }) =>
                mesh.nodes[cluster]!.map(({ metadata, spec }) => {
                    return { cluster, node: metadata!.name!, address: podOf(spec!.podCIDR!) };
                }),
            );
            const services = mesh.specs.map(({ name: cluster, serviceCIDR }) => {
                return { cluster, address: serviceCIDR!.replace(/0\/\d+$/, "10") };
            });
            for (const from of pods) {
                for (const to of [...pods, ...services]) {
                    if (from.cluster === to.cluster) continue;
                    const found = trace(
                        { ...from, address: addressOf(from.address)! },
                        { ...to, address: addressOf(to.address)! },
                    );
                    const expected = model.reach(from, to);
                    verdicts[found.ok ? "ok" : "broken"]++;
                    const breaks = found.there.breaks ?? found.back?.breaks;
                    if (breaks !== undefined) codes.add(breaks.code);
                    if (found.ok !== expected.ok) {
                        throw new Error(JSON.stringify({ from, to, expected, found }, undefined, 1));
                    }
                }
            }
        }),
        { numRuns: 500 },
    );
    expect(verdicts.ok).toBeGreaterThan(1_000);
    expect(verdicts.broken).toBeGreaterThan(1_000);
    expect([...codes].sort()).toEqual([
        "EndpointInTunnel",
        "EndpointReset",
        "NetworkContested",
        "NoEndpoint",
        "NoRoute",
        "NobodyDials",
        "NobodyHasKey",
        "NodeNotReady",
        "NotLeader",
        "OwnNetworkReplaced",
        "PeerMissing",
        "PresharedKey",
        "SourceRefused",
        "WrongNode",
    ]);
});
