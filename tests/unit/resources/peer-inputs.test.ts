import { peerSet } from "../../../provider/resources/peer-set";
import { joinLines } from "../../../provider/state/line-list";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { inputs, peerSetInputs } from "../../support/peer-set-inputs";

const lines = (count: number): Record<string, string> =>
    Object.fromEntries(
        Array.from({ length: count }, (_, i) => [
            `edge--spoke--n${i}`,
            `${key(i + 1)} 192.0.2.1:51820 10.${i >> 8}.${i & 255}.0/24`,
        ]),
    );

/** What is recorded when so many peers are wanted after others, and what is said about it. */
function checked(count: number, before?: unknown) {
    const host = memoryHost([]);
    const olds = before === undefined ? {} : peerSetInputs(before);
    const { peers } = peerSet.check(host, olds, inputs(lines(count))).inputs;
    return { peers, warnings: host.warnings };
}

test("what is recorded has the form for its size, a text from 501 peers on", () => {
    expect(checked(500)).toEqual({ peers: { spoke: lines(500) }, warnings: [] });
    expect(checked(501)).toEqual({ peers: { spoke: joinLines(lines(501)) }, warnings: [] });
});

test("a preview in which the form changes says that nothing else does", () => {
    expect(checked(501, { spoke: lines(500) }).warnings).toEqual([
        "more than 500 peers: they are recorded as texts from now on. Where only the form changed, nothing is written to the cluster.",
    ]);
    expect(checked(501, {}).warnings).toEqual([]);
});

test("the form alone is no change", async () => {
    const hub = new MemoryCluster("hub");
    const { outs } = await peerSet.create(memoryHost([hub]), peerSetInputs({ spoke: lines(3) }));
    expect(peerSet.diff(outs, inputs(lines(3)))).toEqual({ changes: false });
});
