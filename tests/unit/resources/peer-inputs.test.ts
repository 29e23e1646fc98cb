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

test("up to 500 peers are recorded by name, so that every preview shows each by itself", () => {
    expect(checked(500)).toEqual({ peers: { spoke: lines(500) }, warnings: [] });
});

test("more than 500 are recorded as a text per source", () => {
    expect(checked(501)).toEqual({ peers: { spoke: joinLines(lines(501)) }, warnings: [] });
});

test("a text stays one until there are half as many, so that a size that comes and goes changes nothing", () => {
    const text = { spoke: joinLines(lines(501)) };
    expect(checked(251, text).peers).toEqual({ spoke: joinLines(lines(251)) });
    expect(checked(250, text).peers).toEqual({ spoke: lines(250) });
});

test("a preview in which the form changes says that nothing else does", () => {
    expect(checked(501, { spoke: lines(500) }).warnings).toEqual([
        "more than 500 peers: they are recorded as texts from now on. Where only the form changed, nothing is written to the cluster.",
    ]);
    expect(checked(250, { spoke: joinLines(lines(501)) }).warnings).toEqual([
        "250 peers or fewer: they are recorded by name from now on. Where only the form changed, nothing is written to the cluster.",
    ]);
    expect(checked(501, {}).warnings).toEqual([]);
});

test("the form alone is no change", async () => {
    const hub = new MemoryCluster("hub");
    const { outs } = await peerSet.create(memoryHost([hub]), peerSetInputs({ spoke: lines(3) }));
    expect(peerSet.diff(outs, inputs(lines(3)))).toEqual({ changes: false });
});
