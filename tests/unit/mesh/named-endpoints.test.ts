import { planMesh } from "../../../provider/mesh/plan-mesh";
import { at, node, plan, routes, source, target } from "./fixtures";

const nodeCIDRs = ["192.168.7.0/24"];
const resolved = { "gw.example": "192.168.7.1" };
const named = { annotations: { endpoint: "gw.example:1" } };
const without = { "src--n1": ["10.1.1.0/24", "10.4.0.1/32"] };

test("a node address is not routed into the tunnel whose endpoint is a name that has it", () => {
    const looping = node({ seed: 1, ...named, addresses: at("192.168.7.1") });
    expect(routes(plan([looping], { src: { nodeCIDRs }, resolved }))).toEqual(without);
});

test("nor is one that a name leads to at which the target's own nodes are reached", () => {
    const planned = planMesh({
        mesh: "m",
        resolved,
        clusters: [source({ nodeCIDRs }), target()],
        nodes: {
            src: [node({ seed: 1, addresses: at("192.168.7.1") })],
            dst: [node({ seed: 2, pods: ["10.2.1.0/24"], ...named })],
        },
    });
    expect(routes(planned)).toEqual(without);
});
