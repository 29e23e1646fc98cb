import { expectGolden, golden } from "./support/golden";
import { runCli } from "./support/run-cli";
import { dead, drifted, forged, healthy, locked, type Scenario } from "./support/scenario";
import { blocked, blockedLater, noWayBack, passiveNat, staleLeader } from "./support/tunnel-scenarios";

/** A page of documentation is this wide. */
const WIDE = { columns: 100 };

const SCENARIOS: readonly (readonly [string, () => Scenario, { status: number; doctor: number; plan: number }])[] = [
    ["healthy", healthy, { status: 0, doctor: 0, plan: 0 }],
    ["dead", dead, { status: 2, doctor: 2, plan: 2 }],
    ["locked", locked, { status: 2, doctor: 2, plan: 2 }],
    ["drift", drifted, { status: 2, doctor: 0, plan: 0 }],
    ["forged", forged, { status: 2, doctor: 2, plan: 2 }],
    ["blocked", blocked, { status: 0, doctor: 0, plan: 0 }],
    ["stale-leader", staleLeader, { status: 2, doctor: 0, plan: 0 }],
    ["no-way-back", noWayBack, { status: 2, doctor: 0, plan: 0 }],
    ["passive-nat", passiveNat, { status: 0, doctor: 0, plan: 0 }],
];

describe.each(SCENARIOS)("%s", (name, scenario, codes) => {
    test.each(["status", "doctor", "plan"] as const)("%s says it in words, with its exit code", async (command) => {
        const { code, out, err } = await runCli([command], scenario(), WIDE);
        expectGolden(`${command}-${name}.txt`, out);
        expect({ code, err }).toEqual({ code: codes[command], err: "" });
    });

    test.each(["status", "doctor", "plan"] as const)(
        "%s --json says it to scripts, with the same exit code",
        async (command) => {
            const { code, out } = await runCli([command, "--json"], scenario());
            expectGolden(`${command}-${name}.json.txt`, out);
            expect(code).toBe(codes[command]);
            expect(JSON.parse(out)).toMatchObject({ schemaVersion: 1, command, mesh: "global" });
        },
    );

    test("the exit code of status is what inPlace says, and with --wait what healthy says", async () => {
        const { inPlace, healthy: isHealthy } = JSON.parse((await runCli(["status", "--json"], scenario())).out);
        expect(codes.status).toBe(inPlace ? 0 : 2);
        const look = async () => scenario().sight;
        expect((await runCli(["status", "--wait", "1"], scenario(), { look })).code).toBe(isHealthy ? 0 : 2);
    });
});

describe("UDP that was blocked after the handshakes shows nowhere", () => {
    test.each([
        ["status", ["status"]],
        ["doctor", ["doctor"]],
        ["trace", ["trace", "hub/hub-n1", "berlin/10.17.2.9"]],
    ] as const)("%s says what it says of a healthy mesh, with the same exit code", async (command, argv) => {
        const { code, out } = await runCli(argv, blockedLater(), WIDE);
        expectGolden(`${command}-healthy.txt`, out);
        expect(code).toBe(0);
    });

    test.each(["status", "trace"])("%s says that seen does not mean that it works now", (command) => {
        const text = golden(`${command}-healthy.txt`).replace(/\s+/g, " ");
        expect(text).toContain("It does not say that the tunnel works now");
    });
});

describe.each([
    ["healthy", healthy, "hub/hub-n1 berlin/10.17.2.9", 0],
    ["blocked", blocked, "hub/hub-n2 berlin/berlin-n1", 0],
    ["stale-leader", staleLeader, "hub/hub-n1 berlin/berlin-n2", 2],
    ["no-way-back", noWayBack, "hub/hub-n1 berlin/berlin-n1", 2],
    ["forged", forged, "hub/hub-n1 berlin/berlin-n1", 2],
    ["passive-nat", passiveNat, "hub/hub-n1 tokyo/tokyo-n1", 2],
    ["dead", dead, "hub/hub-n1 tokyo/tokyo-n1", 2],
] as const)("trace in a mesh that is %s", (name, scenario, places, expected) => {
    const argv = ["trace", ...places.split(" ")];

    test("says it in words, with its exit code", async () => {
        const { code, out, err } = await runCli(argv, scenario(), WIDE);
        expectGolden(`trace-${name}.txt`, out);
        expect({ code, err }).toEqual({ code: expected, err: "" });
    });

    test("--json says it to scripts", async () => {
        const { code, out } = await runCli([...argv, "--json"], scenario());
        expectGolden(`trace-${name}.json.txt`, out);
        expect(code).toBe(expected);
    });
});

describe.each([
    ["healthy", healthy],
    ["dead", dead],
    ["locked", locked],
    ["blocked", blocked],
])("graph of a mesh that is %s", (name, scenario) => {
    test.each([
        ["mermaid", "mmd"],
        ["dot", "dot"],
        ["svg", "svg"],
    ])("--format %s", async (format, extension) => {
        const { code, out } = await runCli(["graph", "--format", format], scenario());
        expectGolden(`graph-${name}.${extension}`, out);
        expect(code).toBe(0);
    });
});

test.each([
    [[]],
    [["plan"]],
    [["graph"]],
    [["status"]],
    [["doctor"]],
    [["trace"]],
    [["sweep"]],
    [["init"]],
    [["watch"]],
])("help of %p", async (command) => {
    const { code, out } = await runCli([...command, "--help"], undefined, WIDE);
    expectGolden(`help${command.map((word) => `-${word}`).join("")}.txt`, out);
    expect(code).toBe(0);
});
