import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Case, readResults, thisMachine, writeResults } from "../../../bench/support/results";
import { stateSize } from "../../../bench/support/state-size";

const directory = mkdtempSync(path.join(os.tmpdir(), "clustermesh-bench-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

const record = (...cases: Case[]): void =>
    writeResults(directory, { scenario: "sizes", machine: thisMachine(), cases });
const measured = (name: string, value: number): Case => ({ name, facts: {}, series: { up: [value, 2] } });

test("a case that is measured again replaces itself, the others stay, in order of size", () => {
    record(measured("10 × 100", 1), measured("3 × 1000", 1));
    record(measured("3 × 1000", 7.123456));
    expect(readResults(directory)[0]?.cases).toEqual([measured("3 × 1000", 7.123), measured("10 × 100", 1)]);
});

test("a series is written as one line", () => {
    record(measured("3 × 1000", 5));
    expect(readFileSync(path.join(directory, "sizes.json"), "utf8")).toContain('"up": [5, 2]');
});

test("the bytes of peer sets are those that they take in the checkpoint", () => {
    const set = {
        type: "pulumi-nodejs:dynamic/kilo-clustermesh:PeerSet",
        outputs: { ledger: "a b c", kubeconfig: { ciphertext: "v1:abc" } },
    };
    const resources = [{ type: "pulumi:pulumi:Stack" }, set];
    const text = JSON.stringify({ version: 3, checkpoint: { stack: "s", latest: { resources } } }, undefined, 4);
    const start = text.indexOf("{", text.indexOf("pulumi:pulumi:Stack"));
    const inPlace = text.slice(start, text.indexOf("\n            ]"));
    expect(stateSize(text)).toEqual({ whole: text.length, peerSets: inPlace.length, secrets: 6 });
});
