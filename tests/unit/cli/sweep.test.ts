import type { Owner } from "../../../cli/sweep/judge";
import { judgeAll } from "../../../cli/sweep/judge";
import { type SweepReport, sweepReport } from "../../../cli/sweep/report";
import { KubeError } from "../../../provider/kube/errors/kube-error";
import { expectGolden } from "./support/golden";
import { runCli } from "./support/run-cli";
import { LEFT_BEHIND, peerIn, type SweepWorld, sweepWorld, type WorldOptions } from "./support/sweep-scenario";

const CLAIM = ["sweep", "--claim", "lost-hub"];
const OURS = ["hub/global--paris--paris-n1", "hub/global--paris--paris-n2"];
const WIDE = { columns: 100 };

const names = ({ deleted }: SweepWorld): string[] => deleted.map((each) => each.split(" ")[0]!).sort();

async function swept(argv: readonly string[], options: WorldOptions = {}, answers?: readonly string[]) {
    const world = sweepWorld(options);
    const { scenario, reach } = world;
    const result = await runCli(argv, scenario, { ...WIDE, reach, ...(answers === undefined ? {} : { answers }) });
    return { ...result, world };
}

const reportOf = ({ out }: { out: string }): SweepReport => JSON.parse(out) as SweepReport;

describe("what is offered", () => {
    test("only what has the claim is offered, everything else is shown with why; without a terminal it is a list", async () => {
        const { code, out, err, world } = await swept(CLAIM);
        expectGolden("sweep-listed.txt", out);
        expect({ code, err, deleted: world.deleted }).toEqual({ code: 2, err: "", deleted: [] });
    });

    test("--json says it to scripts, and never asks", async () => {
        const { code, out, world } = await swept([...CLAIM, "--json"], {}, ["y"]);
        expectGolden("sweep-listed.json.txt", out);
        expect({ code, deleted: world.deleted }).toEqual({ code: 2, deleted: [] });
    });

    test("by mesh id, the peers of all members of that mesh are offered, and of no other mesh with the same names", async () => {
        const report = reportOf(await swept(["sweep", "--mesh-id", "lost", "--json"]));
        expect(report.offered.map(({ name }) => name)).toEqual([1, 2, 4].map((n) => `global--paris--paris-n${n}`));
    });

    test("an id that nothing has offers nothing, and that is well", async () => {
        const { code, out } = await swept(["sweep", "--claim", "nobody"], {
            peers: LEFT_BEHIND.filter(({ finalizers }) => finalizers === undefined),
        });
        expect(code).toBe(0);
        expect(out).toContain("claim nobody: 0 of 6 peers in 3 clusters left over");
    });

    test("an object without labels is nobody's, whatever its owner annotation says", async () => {
        const report = reportOf(await swept([...CLAIM, "--json"]));
        expect(report.others.find(({ name }) => name.endsWith("n6"))).toMatchObject({ standing: "foreign" });
    });
});

describe("what a state lists", () => {
    const owner: Owner = {
        proofIn: () => ({ claim: "lost-hub", meshId: "lost", present: new Set(["lost-hub", "lost-berlin"]) }),
        ledgers: {
            hub: new Map([
                ["global--paris--paris-n1", { uid: "uid-global--paris--paris-n1", digest: "x" }],
                ["global--paris--paris-n2", { uid: "the one before", digest: "x" }],
            ]),
        },
    };
    const standings = (peers = LEFT_BEHIND) =>
        Object.fromEntries(
            judgeAll(peers.map(peerIn), "hub", owner).map(({ name, standing }) => [name.slice(-2), standing]),
        );

    test("is never offered, nor what has the name of it; what a former member left behind is", () => {
        expect(standings()).toMatchObject({ n1: "in use", n2: "in use", n4: "left over", n5: "foreign" });
    });

    test("a copy of a peer that another present member claims is not offered", () => {
        expect(standings([{ name: "copy-c1", claim: "lost-berlin", meshId: "lost" }])).toEqual({ c1: "foreign" });
    });

    test("nothing is offered in a cluster that is not the recorded one", () => {
        const found = { hub: { ok: true, nodes: [], peers: LEFT_BEHIND.map(peerIn), at: 1, identity: "new" } } as const;
        const report = sweepReport("stack s", ["hub"], found, { ...owner, identities: { hub: "old" } });
        expect(report).toMatchObject({ clean: false, offered: [], others: [], unread: [{ state: "unusable" }] });
    });
});

describe("consent", () => {
    test.each(["", "n", "no", "yeah?", "Delete"])("%j is no", async (answer) => {
        const { code, out, world } = await swept(CLAIM, {}, [answer]);
        expect({ code, deleted: world.deleted }).toEqual({ code: 2, deleted: [] });
        expect(out).toContain("Nothing was deleted.");
    });

    test.each(["y", "Yes"])("%j is yes", async (answer) => {
        const { out, world } = await swept(CLAIM, {}, [answer]);
        expectGolden("sweep-deleted.txt", out.replace(`[y/N] ${answer}`, "[y/N] y"));
        expect(names(world)).toEqual(OURS);
    });

    test("--yes is yes in a script, and what a finalizer holds still counts for the exit code", async () => {
        const { code, world } = await swept([...CLAIM, "--yes"]);
        expect({ code, deleted: names(world) }).toEqual({ code: 2, deleted: OURS });
        const rest = LEFT_BEHIND.filter(({ finalizers }) => finalizers === undefined);
        expect((await swept([...CLAIM, "--yes"], { peers: rest })).code).toBe(0);
    });
});

describe("between the list and the delete", () => {
    const outcomes = (result: { out: string }) => reportOf(result).offered.map(({ outcome }) => outcome?.result);
    const YES = [...CLAIM, "--yes", "--json"];
    const first = "global--paris--paris-n1";

    test("a peer that somebody else re-created under the name is left alone", async () => {
        const result = await swept(YES, {
            meanwhile: (hub) => hub.set(first, peerIn({ name: first, uid: "theirs", claim: "lost-hub" })),
        });
        expect(outcomes(result)).toEqual(["left alone", "deleted"]);
        expect(result.code).toBe(2);
        expect(result.world.hub.get(first)?.uid).toBe("theirs");
    });

    test("a peer that another mesh took over is left alone", async () => {
        const result = await swept(YES, {
            meanwhile: (hub) => hub.set(first, peerIn({ name: first, claim: "alive" })),
        });
        expect(outcomes(result)).toEqual(["left alone", "deleted"]);
    });

    test("a peer that is gone is fine", async () => {
        expect(outcomes(await swept(YES, { meanwhile: (hub) => hub.delete(first) }))).toEqual(["gone", "deleted"]);
    });

    test("one that a finalizer holds, and one that is refused, stop nobody else and are said", async () => {
        const forbidden = new KubeError({
            kind: "forbidden",
            cluster: "hub",
            message: "cluster hub: may not delete peers",
            fix: "Apply docs/rbac.yaml",
        });
        const held = await swept([...CLAIM, "--yes"], {
            onDelete: (name) => (name === first ? { terminating: ["a/b"] } : undefined),
        });
        expect(held.out).toContain(`terminating  ${first} in hub: it is still there, held by a/b`);
        expect(names(held.world)).toEqual([OURS[1]]);
        const refused = await swept([...CLAIM, "--yes"], {
            onDelete: (name) => (name === first ? forbidden : undefined),
        });
        expect(refused.out).toContain(
            `failed  ${first} in hub: cluster hub: may not delete peers. Apply docs/rbac.yaml`,
        );
        expect([held.code, refused.code]).toEqual([2, 2]);
    });
});

test("a cluster that could not be read is named, and the others are swept", async () => {
    const silent = {
        ok: false,
        state: "silent",
        kind: "unreachable",
        message: "cluster tokyo is unreachable",
        fix: "Check it",
    } as const;
    const { code, out, world } = await swept([...CLAIM, "--yes"], { found: { tokyo: silent } });
    expect({ code, deleted: names(world) }).toEqual({ code: 2, deleted: OURS });
    expect(out).toContain("tokyo  cluster tokyo is unreachable. Check it");
});

test.each([
    [["sweep"], "sweep needs to know whose peers it looks for", "--claim"],
    [["sweep", "--claim", "a", "--mesh-id", "b"], "sweep takes either --claim or --mesh-id", "one of them"],
    [["sweep", "--claim", "a,b"], '--claim cannot be "a,b"', "as kubectl shows it"],
])("%j is answered before any cluster is contacted", async (argv, message, hint) => {
    const { code, err } = await runCli(argv, sweepWorld().scenario);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).toContain(hint);
});

test("names from a cluster cannot move the cursor", async () => {
    const evil = { name: "a\u001b[2Jb", claim: "lost-hub", owner: "x\u202ey" };
    const { out } = await swept(CLAIM, { peers: [evil] });
    for (const mark of ["\u001b", "\u202e"]) expect(out).not.toContain(mark);
});
