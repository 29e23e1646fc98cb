const transform = {
    "^.+\\.ts$": [
        "@swc/jest",
        {
            jsc: { parser: { syntax: "typescript" }, target: "es2022", transform: { useDefineForClassFields: false } },
            module: { type: "commonjs", ignoreDynamic: true },
        },
    ],
};

const project = (displayName, folders, testTimeout) => ({
    displayName,
    transform,
    testTimeout,
    testEnvironment: "node",
    testMatch: folders.map((folder) => `<rootDir>/tests/${folder}/**/*.test.ts`),
    modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/\\.local/"],
});

module.exports = {
    // Generous limits: they end what hangs, and are never what a test asserts.
    projects: [project("unit", ["unit", "property"], 60_000), project("e2e", ["e2e", "faults"], 300_000)],
};
