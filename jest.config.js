const transform = {
    "^.+\\.ts$": [
        "@swc/jest",
        {
            jsc: { parser: { syntax: "typescript" }, target: "es2022", transform: { useDefineForClassFields: false } },
            module: { type: "commonjs", ignoreDynamic: true },
        },
    ],
};

const project = (displayName, ...folders) => ({
    displayName,
    transform,
    testEnvironment: "node",
    testMatch: folders.map((folder) => `<rootDir>/tests/${folder}/**/*.test.ts`),
    modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/\\.local/"],
});

module.exports = {
    testSequencer: "<rootDir>/tools/test/longest-first.cjs",
    projects: [project("unit", "unit", "property"), project("e2e", "e2e", "faults")],
    // Generous, and for all projects alike: it ends what hangs, and is never what a test asserts.
    testTimeout: 300_000,
};
