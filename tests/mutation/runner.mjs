import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, sep } from "node:path";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
    DryRunStatus,
    determineHitLimitReached,
    MutantRunStatus,
    TestStatus,
    toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { transformSync } from "@swc/core";
import { expect } from "expect";
import { bind } from "jest-each";

/**
 * Runs the unit tests of the mesh core inside the Stryker worker, as they are: jest's own `expect` and `each` around a few
 * lines that collect tests. All of them are synchronous and pure, so the modules are loaded once and a mutant costs
 * milliseconds; with jest it costs a second, most of it to load the modules again, and the whole run more than an hour.
 */
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "mesh", createRunner)];

const FOLDERS = ["values", "net", "kilo", "mesh", "state"].map((folder) => join("tests", "unit", folder));
/** About size or types, not about behaviour; and one that loads its modules again, as jest alone can. */
const LEFT_OUT = ["scale.test.ts", "fix.test.ts", "digest-older-node.test.ts"];
const FEW_RUNS = 10;

function createRunner() {
    return new MeshRunner();
}

class MeshRunner {
    /** Listed once: what the runner itself cannot find must end the run, not count as a killed mutant. */
    #files = FOLDERS.flatMap((folder) =>
        readdirSync(folder, { recursive: true })
            .filter((file) => file.endsWith(".test.ts") && !LEFT_OUT.includes(basename(file)))
            .sort()
            .map((file) => join(folder, file)),
    );
    #tests = [];
    /** Whether what is loaded was loaded without a mutant. */
    #isClean = false;
    /** What the mutated code and its runner tell each other. */
    #state;

    constructor() {
        globalThis.__stryker__ ??= {};
        this.#state = globalThis.__stryker__;
    }

    capabilities() {
        return { reloadEnvironment: true };
    }

    async dryRun() {
        this.#state.mutantCoverage = { static: {}, perTest: {} };
        this.#load();
        const tests = this.#tests.map((found) => this.#run(found));
        return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#state.mutantCoverage };
    }

    async mutantRun({ activeMutant, testFilter, hitLimit, reloadEnvironment, mutantActivation, disableBail }) {
        const state = this.#state;
        const isStatic = mutantActivation === "static";
        // before anything is loaded: what an earlier mutant left would make this one fail to load, and count as killed
        state.activeMutant = isStatic ? activeMutant.id : undefined;
        state.hitLimit = hitLimit;
        state.hitCount = hitLimit === undefined ? undefined : 0;
        try {
            if (reloadEnvironment || !this.#isClean) this.#load();
        } catch (error) {
            // with jest, too, a file that cannot be loaded is one whose tests fail
            const killedBy = testFilter ?? this.#tests.map(({ id }) => id);
            return { status: MutantRunStatus.Killed, failureMessage: String(error), killedBy, nrOfTests: 0 };
        } finally {
            this.#isClean = !isStatic;
        }
        state.activeMutant = activeMutant.id;
        const wanted = testFilter && new Set(testFilter);
        const results = [];
        for (const found of this.#tests) {
            if (wanted !== undefined && !wanted.has(found.id)) continue;
            const result = this.#run(found);
            results.push(result);
            if (result.status === TestStatus.Failed && !disableBail) break;
        }
        state.activeMutant = undefined;
        const limited = determineHitLimitReached(state.hitCount, state.hitLimit);
        return toMutantRunResult(limited ?? { status: DryRunStatus.Complete, tests: results }, disableBail);
    }

    #run({ id, body }) {
        const start = performance.now();
        this.#state.currentTestId = id;
        let failureMessage;
        try {
            expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false });
            const returned = body();
            if (returned instanceof Promise) throw new Error("a test of the mesh core must be synchronous");
            const [missing] = expect.extractExpectedAssertionsErrors();
            if (missing !== undefined) throw missing.error;
        } catch (error) {
            failureMessage = String(error);
        }
        this.#state.currentTestId = undefined;
        const found = { id, name: id, timeSpentMs: performance.now() - start };
        return failureMessage === undefined
            ? { ...found, status: TestStatus.Success }
            : { ...found, status: TestStatus.Failed, failureMessage };
    }

    /** Loads code and tests again; dependencies stay. */
    #load() {
        const root = process.cwd();
        const require = createRequire(join(root, "package.json"));
        require.extensions[".ts"] = compileTypeScript;
        for (const file of Object.keys(require.cache)) {
            if (file.startsWith(root + sep) && !file.includes(`${sep}node_modules${sep}`)) delete require.cache[file];
        }
        const tests = [];
        const path = [];
        const describe = (title, body) => {
            path.push(title);
            body();
            path.pop();
        };
        const test = (title, body) => {
            const name = [...path, title].join(" › ");
            const twins = tests.filter((other) => other.name === name).length;
            tests.push({ name, id: twins === 0 ? name : `${name} (${twins + 1})`, body });
        };
        Object.assign(globalThis, {
            expect,
            describe: Object.assign(describe, { each: bind(describe, false) }),
            test: Object.assign(test, { each: bind(test, false) }),
        });
        for (const file of this.#files) describe(file, () => require(join(root, file)));
        // the first draws find what random values find; what only many find is for the tests of properties
        const random = require("fast-check");
        random.configureGlobal({ ...random.readConfigureGlobal(), numRuns: FEW_RUNS });
        this.#tests = tests;
        this.#isClean = true;
    }
}

const compiled = new Map();

/** Once a file: a mutant is chosen when the code runs, and modules are loaded again for every static one. */
function compileTypeScript(module, filename) {
    if (!compiled.has(filename)) {
        const { code } = transformSync(readFileSync(filename, "utf8"), {
            filename,
            swcrc: false,
            configFile: false,
            jsc: { parser: { syntax: "typescript" }, target: "es2022" },
            module: { type: "commonjs" },
        });
        compiled.set(filename, code);
    }
    module._compile(compiled.get(filename), filename);
}
