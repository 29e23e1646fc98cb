import { byText } from "../../values/show";
import type { Issue, Severity } from "../types";

export function issue(severity: Severity, code: string, path: string, message: string, fix: string): Issue {
    return { code, severity, path, message, fix };
}

export function hasErrors(issues: readonly Issue[]): boolean {
    return issues.some(({ severity }) => severity === "error");
}

/** By path, with `clusters[2]` before `clusters[10]`, then by code and message. */
export function sortIssues(issues: readonly Issue[]): readonly Issue[] {
    const keyed = issues.map((found) => ({ found, key: found.path.replace(/\d{1,6}/g, (n) => n.padStart(6, "0")) }));
    keyed.sort(
        (a, b) =>
            byText(a.key, b.key) ||
            byText(a.found.path, b.found.path) ||
            byText(a.found.code, b.found.code) ||
            byText(a.found.message, b.found.message),
    );
    return keyed.map(({ found }) => found);
}
