/** Mutation testing of the mesh core: `npm run mutation`. Results and survivors: docs/mutation.md. */
export default {
    mutate: ["provider/mesh/**/*.ts", "!provider/mesh/index.ts", "!provider/mesh/types.ts"],
    plugins: ["./tests/mutation/runner.mjs"],
    testRunner: "mesh",
    coverageAnalysis: "perTest",
    // what the tests of the core need, and nothing else, is copied
    ignorePatterns: [
        "**",
        "!provider",
        "!provider/mesh/**",
        "!tests",
        "!tests/unit",
        "!tests/unit/mesh/**",
        "!tests/support",
        "!tests/support/chance.ts",
        "!tests/support/keys.ts",
        "!package.json",
        "!tsconfig.json",
    ],
    tempDirName: ".local/stryker",
    incremental: true,
    incrementalFile: "reports/mutation/incremental.json",
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: ["clear-text", "progress", "json", "html"],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
    thresholds: { high: 90, low: 85, break: 85 },
};
