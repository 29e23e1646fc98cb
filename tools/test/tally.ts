/** How many things were shown to be so, and how many were not. */
export interface Tally {
    readonly passed: number;
    readonly failed: number;
    /** Full names of the tests that this machine cannot run; each says what is missing. */
    readonly notRun: readonly string[];
}

export const NOTHING: Tally = { passed: 0, failed: 0, notRun: [] };
export const PASS: Tally = { ...NOTHING, passed: 1 };
export const FAIL: Tally = { ...NOTHING, failed: 1 };

export function add(left: Tally, right: Tally): Tally {
    return {
        passed: left.passed + right.passed,
        failed: left.failed + right.failed,
        notRun: [...left.notRun, ...right.notRun],
    };
}

/** What the run could not show, one line each; nothing when it has shown everything. */
export function notRunLines({ notRun }: Tally): readonly string[] {
    return notRun.length === 0
        ? []
        : [`${notRun.length} not run on this machine:`, ...notRun.map((name) => `  ${name}`)];
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
    readonly testResults: readonly {
        readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
    }[];
}

/** In the name of a test that is skipped because the machine lacks a program that we cannot build. */
const LACKING = /\[not run: there is no [^\]]+\]/;

/**
 * A file that cannot be loaded, a run that tested nothing and a skipped test all count as failures: none of them
 * shows anything. The one exception says in its name which program the machine lacks, and is listed.
 */
export function tallyOf(report: JestReport): Tally {
    const passed = report.numPassedTests;
    const notRun = report.testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ status, fullName }) => status === "pending" && LACKING.test(fullName))
        .map(({ fullName }) => fullName);
    const skipped = report.numPendingTests - notRun.length;
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped + report.numTodoTests;
    const unexplained = failed === 0 && (!report.success || passed === 0);
    return { passed, failed: unexplained ? 1 : failed, notRun };
}
