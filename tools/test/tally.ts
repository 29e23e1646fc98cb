/** How many things were shown to be so, and how many were not. */
export interface Tally {
    readonly passed: number;
    readonly failed: number;
}

export const NOTHING: Tally = { passed: 0, failed: 0 };
export const PASS: Tally = { passed: 1, failed: 0 };
export const FAIL: Tally = { passed: 0, failed: 1 };

export function add(left: Tally, right: Tally): Tally {
    return { passed: left.passed + right.passed, failed: left.failed + right.failed };
}

/** The last line of a test run, for people and for machines. */
export function lastLine({ passed, failed }: Tally): string {
    return `${passed} passed, ${failed} failed`;
}

/** The part of jest's JSON report that counts. */
interface JestReport {
    readonly success: boolean;
    readonly numPassedTests: number;
    readonly numFailedTests: number;
    readonly numPendingTests: number;
    readonly numTodoTests: number;
    readonly numRuntimeErrorTestSuites: number;
}

/**
 * A file that cannot be loaded, a run that tested nothing and a skipped test all count as failures: none of them
 * shows anything.
 */
export function tallyOf(report: JestReport): Tally {
    const passed = report.numPassedTests;
    const failed =
        report.numFailedTests + report.numRuntimeErrorTestSuites + report.numPendingTests + report.numTodoTests;
    const unexplained = failed === 0 && (!report.success || passed === 0);
    return { passed, failed: unexplained ? 1 : failed };
}
