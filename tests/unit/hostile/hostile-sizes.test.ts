import { readObservations } from "../../../provider/kilo/observations";
import { readNodes } from "../../../provider/kilo/read-nodes";
import { openCluster } from "../../../provider/kube/client";
import { type ApiDouble, type DoubleNode, startApiDouble } from "../../support/api-double";
import { key } from "../../support/keys";
import { HONEST, HOSTILE, honestNodes, LIVE, peersOf, planWith, THIRD, VICTIM } from "./members";

/** Bounds are shown by coming to an end, and by what is kept; how long it takes is measured in bench/. */

const ANNOTATION_LIMIT = 64 * 1024;
const [template] = honestNodes(HOSTILE, 1);

const nodeWith = (name: string, annotations: Record<string, string>): DoubleNode => ({
    ...template,
    metadata: { name, labels: {}, annotations: { ...template?.metadata?.annotations, ...annotations } },
});

let double: ApiDouble;

beforeEach(async () => {
    double = await startApiDouble();
});
afterEach(async () => {
    await double.close();
});

async function observe(): Promise<readonly unknown[]> {
    const client = await openCluster({ cluster: HOSTILE, kubeconfig: double.kubeconfig });
    try {
        return (await client.listNodes()).nodes;
    } finally {
        await client.close();
    }
}

test("10,000 forged nodes with one key and one pod network cost the others nothing", async () => {
    for (let n = 0; n < 10_000; n++) double.putNode(nodeWith(`n${n}`, { "kilo.squat.ai/key": key(1) }));
    const nodes = await observe();
    expect(nodes).toHaveLength(10_000);
    const plan = planWith(nodes, LIVE);
    expect(peersOf(plan, THIRD, VICTIM)).toEqual(peersOf(HONEST, THIRD, VICTIM));
    expect(Object.keys(peersOf(plan, THIRD, HOSTILE))).toHaveLength(1);
    expect(plan.skipped).toHaveLength(9_999);
});

test("annotations of 64 kB are cut before they reach the plan or the state", async () => {
    const long = "x".repeat(ANNOTATION_LIMIT);
    for (let n = 0; n < 200; n++) {
        double.putNode(
            nodeWith(`n${n}`, {
                "kilo.squat.ai/key": long,
                "kilo.squat.ai/endpoint": long,
                "kilo.squat.ai/location": `${long}${n}`,
                "example.com/anything": long,
            }),
        );
    }
    const nodes = await observe();
    expect(JSON.stringify(nodes).length).toBeLessThan(200 * 8 * 1024);
    const facts = readNodes(nodes, {});
    expect(JSON.stringify(facts).length).toBeLessThan(200 * 2 * 1024);
    expect(peersOf(planWith(nodes, LIVE), THIRD, HOSTILE)).toEqual({});
});

test("discovered endpoints of 1 MB are passed over, and only in the target that has them", async () => {
    const entries = Array.from({ length: 12_000 }, (_, n) => [key(n), { IP: "203.0.113.66", Port: 666, Zone: "" }]);
    const million = JSON.stringify(Object.fromEntries(entries));
    expect(million.length).toBeGreaterThan(1 << 20);
    double.putNode(nodeWith("n1", { "kilo.squat.ai/discovered-endpoints": million }));
    const nodes = await observe();
    expect(JSON.stringify(nodes).length).toBeLessThan(16 * 1024);
    expect(readObservations([nodeWith("n1", { "kilo.squat.ai/discovered-endpoints": million })])).toEqual({});
});

test("observations that a hostile member makes up move endpoints in itself alone", () => {
    const observed = Object.fromEntries(
        honestNodes(VICTIM).map(({ metadata }) => [
            metadata?.annotations?.["kilo.squat.ai/key"],
            { IP: "203.0.113.66", Port: 666, Zone: "" },
        ]),
    );
    const nodes = [nodeWith("a-hostile-n1", { "kilo.squat.ai/discovered-endpoints": JSON.stringify(observed) })];
    const plan = planWith(nodes, LIVE);
    expect(peersOf(plan, THIRD, VICTIM)).toEqual(peersOf(HONEST, THIRD, VICTIM));
    expect(JSON.stringify(peersOf(plan, HOSTILE, VICTIM))).toContain("203.0.113.66");
});
