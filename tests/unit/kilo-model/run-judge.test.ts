import { violationText } from "../../support/kilo-model/judge";
import type { PeerObject } from "../../support/kilo-model/objects";
import { RunJudge } from "../../support/kilo-model/run-judge";
import { added, cluster, deleted, modified, node, peer, podsOf } from "./world";

const meshed = (peersOfB: readonly PeerObject[] = [peer("a1"), peer("a2")]) => ({
    a: cluster([node("a1"), node("a2")], [peer("b1")]),
    b: cluster([node("b1")], peersOfB),
});

const all = { links: "all" } as const;

const interruptions = ({ interrupted }: RunJudge): readonly string[] =>
    interrupted.map(({ from, to, replaced }) => `${from.node} → ${to.node} ${replaced ? "replaced" : "cut"}`);

test("a write that leaves everybody in touch interrupts nobody", () => {
    const judge = new RunJudge(meshed(), all);
    judge.follow("b", modified(peer("a2", { allowedIPs: [podsOf("a2"), "10.77.0.0/24"] })));
    expect(interruptions(judge)).toEqual([]);
    expect(judge.end(meshed())).toEqual([]);
});

test("a peer that is deleted and made again interrupts its own pairs, once each way, as replaced", () => {
    const judge = new RunJudge(meshed(), all);
    judge.follow("b", deleted(peer("a2")));
    judge.follow("b", added(peer("a2", { persistentKeepalive: 25 })));
    expect(interruptions(judge)).toEqual(["a2 → b1 replaced", "b1 → a2 replaced"]);
    expect(judge.end(meshed())).toEqual([]);
});

test("a network that is given to a second peer before the first gave it up cuts a pair that nothing replaced", () => {
    const judge = new RunJudge(meshed(), all);
    judge.follow("b", modified(peer("a1", { allowedIPs: [podsOf("a1"), podsOf("a2")] })));
    expect(interruptions(judge)).toEqual(["a2 → b1 cut", "b1 → a2 cut"]);
    expect(judge.interrupted[0]?.after).toMatch(/^MODIFIED b\/a1 \(/);
});

test("what did not work before, or what the program no longer joins, is nobody's interruption", () => {
    const broken = new RunJudge(meshed([peer("a1")]), all);
    broken.follow("b", added(peer("a2")));
    expect(interruptions(broken)).toEqual([]);
    expect(broken.end(meshed())).toEqual([]);
    const given = new RunJudge(meshed(), { links: [] });
    given.follow("b", deleted(peer("a1")));
    given.follow("b", deleted(peer("a2")));
    given.follow("a", deleted(peer("b1")));
    expect(interruptions(given)).toEqual([]);
    expect(given.end(meshed([]))).toEqual([]);
});

test("at the end it counts what agents made of all writes, not what they would make of the objects", () => {
    const judge = new RunJudge(meshed(), all);
    judge.follow("b", deleted(peer("a2")));
    expect(judge.end(meshed([peer("a1")])).map(violationText)).toEqual([
        "a2 → b1 unreachable (peer-missing)",
        "b1 → a2 unreachable (no-route)",
    ]);
});

test("pairs that something keeps apart must not reach each other", () => {
    const apart = { ...all, apart: [["b", "a/a2"]] as const };
    expect(new RunJudge(meshed([peer("a1")]), apart).end(meshed([peer("a1")]))).toEqual([]);
    expect(new RunJudge(meshed(), apart).end(meshed()).map(violationText)).toEqual([
        "a2 → b1 reachable",
        "b1 → a2 reachable",
    ]);
});
