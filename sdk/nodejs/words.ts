import type { TakeOver } from "../../provider/mesh/run";
import type { Issue, SkippedNode } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";

const MOST_LINES = 20;

/** All findings of one kind in one message, so that the CLI's summary stays readable. */
function listing(title: string, lines: readonly string[], rest: string): string {
    const shown = lines.slice(0, MOST_LINES).map((line) => `  - ${line}`);
    if (lines.length > MOST_LINES) shown.push(`  … and ${lines.length - MOST_LINES} more: ${rest}`);
    return [title, ...shown].join("\n");
}

export const describeErrors = (mesh: string, issues: readonly Issue[]): string =>
    listing(
        `mesh ${mesh}: invalid arguments (${issues.length === 1 ? "1 error" : `${issues.length} errors`}); no cluster was contacted`,
        issues.map(({ path, message, fix }) => `${path === "" ? "" : `${path}: `}${message}. ${fix}`),
        "fix these first",
    );

export const describeWarnings = (issues: readonly Issue[]): string =>
    issues.length === 1 && issues[0] !== undefined
        ? `${issues[0].message}. ${issues[0].fix}`
        : listing(
              `${issues.length} warnings`,
              issues.map(({ message, fix }) => `${message}. ${fix}`),
              "the output `issues` has all of them",
          );

/** A node that is left out in several targets has a line for each, and counts once. */
export const describeSkipped = (skipped: readonly SkippedNode[]): string => {
    const nodes = new Set(skipped.map(({ cluster, node }) => `${cluster}/${node}`)).size;
    return listing(
        `${nodes === 1 ? "1 node is" : `${nodes} nodes are`} left out of the mesh. Run \`npx kilo-clustermesh doctor --stack <stack>\` for what to do about each`,
        skipped.map(
            ({ cluster, node, reason, message, target }) =>
                `${cluster}/${node}${target === undefined ? "" : ` in ${target}`} (${reason}): ${message}`,
        ),
        "the output `skippedNodes` has all of them",
    );
};

export const describeTakeOvers = (target: string, peers: readonly TakeOver[]): string =>
    listing(
        `${count(peers.length, "peer")} in ${target} will be taken over`,
        peers.map(({ name, wanted }) => (wanted ? name : `${name}, and deleted: the plan does not need it`)),
        "`pulumi preview --diff` has all of them",
    );
