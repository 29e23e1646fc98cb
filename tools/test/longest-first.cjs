const { relative } = require("node:path");
const { default: Sequencer } = require("@jest/test-sequencer");

/**
 * The files that take longest, of each project the longest first: one that begins last is waited for alone. Jest's own order goes by
 * times of earlier runs, which a fresh machine does not have, or by size, which says little here.
 */
const LONG = [
    "tests/faults/single-faults.test.ts",
    "tests/faults/single-faults-real.test.ts",
    "tests/e2e/plugin/languages.test.ts",
    "tests/e2e/mesh/interrupted.test.ts",
    "tests/e2e/tools/quickstart.test.ts",
    "tests/e2e/mesh/lifecycle.test.ts",
    "tests/e2e/mesh/knowledge.test.ts",
    "tests/e2e/mesh/unreachable.test.ts",
    "tests/e2e/mesh/node-versions.test.ts",
    "tests/e2e/plugin/interrupted.test.ts",
    "tests/e2e/examples/readme.test.ts",
    "tests/e2e/mesh/drift.test.ts",
    "tests/e2e/examples/examples.test.ts",
    "tests/e2e/mesh/servers-fail.test.ts",
    "tests/e2e/mesh/disk-full.test.ts",
    "tests/e2e/mesh/recorded-state.test.ts",
    "tests/e2e/watch/stack.test.ts",
    "tests/faults/watch/runs.test.ts",
    "tests/faults/server-failures.test.ts",
    "tests/property/mesh/fuzz.test.ts",
    "tests/property/mesh/removed-node.test.ts",
    "tests/unit/cli/watch/watcher.test.ts",
    "tests/property/mesh/plan.test.ts",
    "tests/unit/docs/testing-page.test.ts",
    "tests/property/mesh/evidence.test.ts",
    "tests/property/mesh/reachability.test.ts",
    "tests/unit/docs/reference.test.ts",
    "tests/unit/tools/schema.test.ts",
    "tests/unit/cli/stack/same-plan.test.ts",
];

class LongestFirst extends Sequencer {
    sort(tests) {
        const rank = ({ path, context }) => {
            const at = LONG.indexOf(relative(context.config.rootDir, path));
            return at === -1 ? LONG.length : at;
        };
        return super.sort(tests).sort((a, b) => rank(a) - rank(b));
    }
}

module.exports = LongestFirst;
module.exports.LONG = LONG;
