import { add, FAIL, lastLine, NOTHING, notRunLines, PASS, tallyOf } from "../../../tools/test/tally";

const report = {
    success: true,
    numPassedTests: 5,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [],
};

test("the last line is exactly this", () => {
    expect(lastLine(add(add(NOTHING, { passed: 12, failed: 1, notRun: [] }), PASS))).toBe("13 passed, 1 failed");
    expect(lastLine(FAIL)).toBe("0 passed, 1 failed");
});

test.each([
    ["a clean run counts its tests", {}, { passed: 5, failed: 0 }],
    ["failed tests count", { success: false, numFailedTests: 2 }, { passed: 5, failed: 2 }],
    [
        "a file that cannot be loaded is a failure",
        { success: false, numRuntimeErrorTestSuites: 1 },
        { passed: 5, failed: 1 },
    ],
    ["a skipped test is a failure", { numPendingTests: 1 }, { passed: 5, failed: 1 }],
    ["a test that is only promised is a failure", { numTodoTests: 3 }, { passed: 5, failed: 3 }],
    ["a run that tested nothing is a failure", { numPassedTests: 0 }, { passed: 0, failed: 1 }],
    ["a run that failed for a reason of its own is a failure", { success: false }, { passed: 5, failed: 1 }],
])("%s", (_, change, expected) => {
    expect(tallyOf({ ...report, ...change })).toEqual({ ...expected, notRun: [] });
});

test("a test that says which program the machine lacks is listed, neither passed nor failed", () => {
    const lacking = { status: "pending", fullName: "Python [not run: there is no python3 on PATH] comes up" };
    const skipped = { status: "pending", fullName: "a test that somebody switched off" };
    const tally = tallyOf({
        ...report,
        numPendingTests: 2,
        testResults: [{ assertionResults: [lacking, skipped] }],
    });
    expect(tally).toEqual({ passed: 5, failed: 1, notRun: [lacking.fullName] });
    expect(notRunLines(tally)).toEqual(["1 not run on this machine:", `  ${lacking.fullName}`]);
    expect(notRunLines(PASS)).toEqual([]);
});
