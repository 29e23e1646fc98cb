import { validateMesh } from "../../../provider/mesh/args/validate";
import type { Plan } from "../../../provider/mesh/types";
import { contains, networkOf } from "../../../provider/net/cidr";
import { describeSkipped, describeWarnings } from "../../../sdk/nodejs/words";
import { nodeObject } from "../../../tools/clusters/node-spec";
import fc from "../../support/chance";
import { forgedNode } from "./forged-nodes";
import { CLUSTERS, HONEST, HOSTILE, honestNodes, LIVE, peersOf, planWith, THIRD, VICTIM } from "./members";

const RUNS = 500;
const hostile = CLUSTERS[0]!;
const declared = [...hostile.podCIDRs!, hostile.wireguardCIDR!, hostile.serviceCIDR!, ...hostile.nodeCIDRs!];
const honestKeys = new Set(
    [VICTIM, THIRD].flatMap((name) =>
        honestNodes(name).map(({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"]),
    ),
);

/** One line, and nothing in it that moves, hides or reverses what is read: what may stand in a log. */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u;

const GRAPH =
    /^flowchart LR\n( {4}c\d(\["[amz]-[a-z]+<br\/>\d+ segments?"\]| (<?-->\|("\d+ \/ \d+"|\d+)\||-\.-) c\d)\n)+$/;

function assertHarmless(plan: Plan): void {
    for (const target of [VICTIM, THIRD]) {
        const other = target === VICTIM ? THIRD : VICTIM;
        expect(peersOf(plan, target, other)).toEqual(peersOf(HONEST, target, other));
        for (const [name, { labels, spec }] of Object.entries(peersOf(plan, target, HOSTILE))) {
            expect(name).toMatch(/^edge--a-hostile(-[-a-z0-9.]*[a-z0-9])?$/);
            expect(name.length).toBeLessThanOrEqual(253);
            expect(labels).toEqual({ ...labels, "kilo-clustermesh.io/claim": `claim-${target}` });
            expect(honestKeys.has(spec.publicKey)).toBe(false);
            for (const cidr of spec.allowedIPs) {
                const inside = declared.some((range) => contains(networkOf(range)!, networkOf(cidr)!));
                expect([cidr, inside]).toEqual([cidr, true]);
            }
        }
    }
    expect(plan.graph).toMatch(GRAPH);
    expect(plan.graph.split("\n").length).toBeLessThan(10);
    for (const { node, message } of plan.skipped) expect([node, message].join(" ")).toMatch(PLAIN);
    for (const { path, message, fix } of plan.issues) expect([path, message, fix].join(" ")).toMatch(PLAIN);
    const log = [
        ...describeSkipped(plan.skipped).split("\n").slice(1),
        ...describeWarnings(plan.issues).split("\n").slice(1),
    ];
    for (const line of log) expect(line).toMatch(/^ {2}(- |… and \d+ more)/);
}

test("whatever the nodes of a hostile member say, the others route what they routed, and no more than it declared", () => {
    fc.assert(
        fc.property(fc.array(forgedNode, { maxLength: 5 }), (nodes) => assertHarmless(planWith(nodes, LIVE))),
        { numRuns: RUNS },
    );
});

test("at a first run, too, nothing is routed to a hostile member but what was declared for it", () => {
    fc.assert(
        fc.property(fc.array(forgedNode, { maxLength: 5 }), (nodes) => {
            for (const [target, peers] of Object.entries(planWith(nodes).peers)) {
                for (const { spec, labels } of Object.values(peers)) {
                    const source = labels["kilo-clustermesh.io/source-cluster"];
                    if (source !== HOSTILE || target === HOSTILE) continue;
                    for (const cidr of spec.allowedIPs) {
                        expect(declared.some((range) => contains(networkOf(range)!, networkOf(cidr)!))).toBe(true);
                    }
                }
            }
        }),
        { numRuns: RUNS },
    );
});

describe("a copied public key", () => {
    const [stolen] = honestNodes(VICTIM).map(({ metadata }) => metadata?.annotations?.["kilo.squat.ai/key"]);
    const thief = [nodeObject({ name: HOSTILE, index: 0 }, { name: "a-hostile-n1", key: stolen! })];

    test("does not push the cluster that has it out of the mesh, though the thief comes first by name", () => {
        const plan = planWith(thief, LIVE);
        expect(peersOf(plan, THIRD, VICTIM)).toEqual(peersOf(HONEST, THIRD, VICTIM));
        // the thief's own peer keeps its own key, where it has one already
        expect(Object.keys(peersOf(plan, THIRD, HOSTILE))).toEqual(["edge--a-hostile--a-hostile-n1"]);
        expect(JSON.stringify(peersOf(plan, THIRD, HOSTILE))).not.toContain(stolen);
        expect(plan.issues).toContainEqual(
            expect.objectContaining({
                code: "PeerHeld",
                path: "a-hostile/a-hostile-n1",
                message: expect.stringContaining('its public key is also that of "m-victim-n1" of "m-victim"'),
            }),
        );
    });

    test("gets its thief no peer where it had none", () => {
        const unknown = Object.fromEntries(
            Object.entries(LIVE).map(([target, peers]) => [
                target,
                peers.filter(({ metadata }) => !metadata?.name?.includes(HOSTILE)),
            ]),
        );
        const plan = planWith(thief, unknown);
        expect(peersOf(plan, THIRD, VICTIM)).toEqual(peersOf(HONEST, THIRD, VICTIM));
        expect(peersOf(plan, THIRD, HOSTILE)).toEqual({});
        expect(plan.skipped).toContainEqual({
            cluster: HOSTILE,
            node: "a-hostile-n1",
            reason: "NodePublicKeyDuplicate",
            message: 'its public key is also that of "m-victim-n1" of "m-victim"',
        });
    });

    test("is not helped by peers that the thief forges in its own cluster", () => {
        const forged = {
            ...LIVE,
            [HOSTILE]: (LIVE[HOSTILE] ?? []).map((peer) => ({
                ...peer,
                metadata: {
                    ...peer.metadata,
                    labels: { ...peer.metadata?.labels, "kilo-clustermesh.io/source-cluster": HOSTILE },
                },
                spec: { ...peer.spec, publicKey: stolen! },
            })),
        };
        expect(peersOf(planWith(thief, forged), THIRD, VICTIM)).toEqual(peersOf(HONEST, THIRD, VICTIM));
    });

    test("goes with its node where that really moved to another cluster", () => {
        const plan = planWith(thief, LIVE, honestNodes(VICTIM).slice(1));
        expect(Object.values(peersOf(plan, THIRD, HOSTILE)).map(({ spec }) => spec.publicKey)).toEqual([stolen]);
        expect(plan.skipped).toEqual([]);
    });
});

test("a declared network that covers another member's is refused before anything is contacted", () => {
    const greedy = { ...hostile, podCIDRs: ["10.0.0.0/8"] };
    const issues = validateMesh({ mesh: "edge", clusters: [greedy, ...CLUSTERS.slice(1)] });
    expect(issues.some(({ code, severity }) => code === "CidrOverlap" && severity === "error")).toBe(true);
});
