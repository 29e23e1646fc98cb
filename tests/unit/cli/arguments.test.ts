import { readArguments } from "../../../cli/arguments";
import { runCli } from "./support/run-cli";
import { drifted, healthy } from "./support/scenario";

describe("command lines", () => {
    test("have sensible defaults", () => {
        expect(readArguments(["plan"])).toEqual({
            kind: "run",
            command: "plan",
            color: "auto",
            file: "mesh.yaml",
            json: false,
            all: false,
            strict: false,
            format: "mermaid",
        });
    });

    test("take flags before and after the command, in both spellings", () => {
        const expected = { command: "status", file: "x.yaml", json: true, target: "hub", timeout: 2.5 };
        expect(readArguments(["-f", "x.yaml", "status", "--json", "--target=hub", "--timeout", "2.5"])).toMatchObject(
            expected,
        );
        expect(readArguments(["status", "--file=x.yaml", "--json", "--target", "hub", "--timeout=2.5"])).toMatchObject(
            expected,
        );
    });

    test.each([
        [["--help"], { kind: "help", asked: true }],
        [[], { kind: "help", asked: false }],
        [["plan", "-h"], { kind: "help", command: "plan", asked: true }],
        [["help", "doctor"], { kind: "help", command: "doctor", asked: true }],
        [["--version"], { kind: "version" }],
    ])("%j asks for help or the version", (argv, expected) => {
        expect(readArguments(argv)).toEqual(expected);
    });
});

describe("a slip is answered with the nearest thing there is", () => {
    test.each([
        [["plan", "--jsn"], "there is no flag --jsn", "Did you mean --json?"],
        [["plan", "--taget", "hub"], "there is no flag --taget", "Did you mean --target?"],
        [["plan", "-x"], "there is no flag -x", "Use one of --file, --stack"],
        [["statsu"], 'there is no command "statsu"', "Did you mean status?"],
        [["deploy"], 'there is no command "deploy"', "Use one of plan, graph, status, doctor, trace, init, sweep"],
        [["graph", "--format", "sgv"], '--format cannot be "sgv"', "Did you mean svg?"],
        [["graph", "--format", "picture"], '--format cannot be "picture"', "Use one of mermaid, dot, svg"],
        [["plan", "--color", "sometimes"], '--color cannot be "sometimes"', "Use one of always, never, auto"],
        [["plan", "--file"], "--file needs a value: PATH", "for example --file mesh.yaml"],
        [["plan", "-f", "--json"], "-f needs a value: PATH", "for example -f mesh.yaml"],
        [["plan", "--json=yes"], "--json takes no value", "Write --json alone"],
        [["plan", "--timeout", "soon"], '--timeout cannot be "soon"', "Give seconds above 0"],
        [["plan", "--timeout", "0"], '--timeout cannot be "0"', "Give seconds above 0"],
        [["plan", "--strict"], "plan has no flag --strict", "Use it with doctor"],
        [["trace", "hub/a"], "trace needs two places, but got 1", "trace <cluster>/<pod IP or node>"],
        [["trace", "hub/a", "hub/b", "hub/c"], 'trace takes two places, but got "hub/c"', "--help"],
        [["watch", "--in", "hub", "--", "true"], "--in needs --pulumi-stack", "Give --pulumi-stack too"],
        [
            ["watch", "--quiet", "9", "--quiet-max", "3", "--", "true"],
            "--quiet-max is shorter than --quiet",
            "9 or more",
        ],
        [["plan", "mesh.yaml"], 'plan takes no argument, but got "mesh.yaml"', "Name the mesh file with --file"],
    ])("%j", async (argv, message, hint) => {
        const { code, out, err } = await runCli(argv);
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(err).toContain(`error: ${message}`);
        expect(err).toContain(hint);
    });

    test("a target that is not in the mesh", async () => {
        const { code, err } = await runCli(["plan", "--target", "berln"], healthy());
        expect({ code, err }).toEqual({
            code: 1,
            err: 'error: there is no cluster "berln" in the mesh file\nDid you mean berlin?\n',
        });
    });
});

test("without a command, help goes to stderr and the exit code says that nothing was done", async () => {
    const { code, out, err } = await runCli([]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("kilo-clustermesh <command>");
});

test("--version prints the version of the package alone", async () => {
    const { version } = jest.requireActual<{ version: string }>("../../../package.json");
    expect(await runCli(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

describe("colours", () => {
    const ESC = "\u001b[";
    test.each([
        ["piped", {}, [], false],
        ["on a terminal", { tty: true, columns: 120 }, [], true],
        ["on a terminal with NO_COLOR", { tty: true, env: { NO_COLOR: "1" } }, [], false],
        ["on a terminal that can do nothing", { tty: true, env: { TERM: "dumb" } }, [], false],
        ["piped with --color always", {}, ["--color", "always"], true],
        ["on a terminal with --color never", { tty: true }, ["--color", "never"], false],
    ])("%s", async (_, options, flags, expected) => {
        for (const command of ["status", "plan", "doctor"]) {
            const { out } = await runCli([command, ...flags], drifted(), options);
            expect(out.includes(ESC)).toBe(expected);
        }
    });

    test("do not change what is said, nor where", async () => {
        const plain = await runCli(["status"], drifted());
        const coloured = await runCli(["status", "--color", "always"], drifted());
        expect(coloured.out.replace(new RegExp(`${"\u001b"}\\[\\d+m`, "g"), "")).toBe(plain.out);
    });
});

test("--target shows one cluster only", async () => {
    const { out } = await runCli(["plan", "--target", "berlin"], drifted());
    expect(out).toContain("in berlin");
    expect(out).not.toContain("in hub");
    const status = await runCli(["status", "--target", "berlin"], drifted());
    expect(status.out).toContain("hub → berlin");
    expect(status.out).not.toContain("berlin → hub");
    expect(status.code).toBe(0);
});

test("--all lists every peer", async () => {
    const { out } = await runCli(["status", "--all"], healthy());
    expect(out.match(/^ {2}present /gm)).toHaveLength(18);
});

test("doctor --strict fails on warnings too", async () => {
    expect((await runCli(["doctor"], drifted())).code).toBe(0);
    expect((await runCli(["doctor", "--strict"], drifted())).code).toBe(2);
});

describe("places that trace cannot follow", () => {
    test.each([
        ["hub", "berlin/berlin-n1", '"hub" is not a place', "hub/10.16.1.7"],
        ["hbu/hub-n1", "berlin/berlin-n1", 'there is no cluster "hbu"', "Did you mean hub?"],
        ["hub/hub-n1", "hub/hub-n2", "both are in hub", "Name two clusters"],
        ["hub/hub-n7", "berlin/berlin-n1", 'hub has no node "hub-n7"', "Did you mean hub-n1?"],
        ["hub/192.0.2.200", "berlin/berlin-n1", "no node of hub has 192.0.2.200", "Name a pod or a node of it"],
    ])("%s %s", async (from, to, message, hint) => {
        const { code, out, err } = await runCli(["trace", from, to], healthy());
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(err).toContain(`error: ${message}`);
        expect(err).toContain(hint);
    });
});
