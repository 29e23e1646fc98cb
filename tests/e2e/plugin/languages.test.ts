import { LANGUAGES, type Language } from "../../../tools/languages/runtime";
import { toolchainOfAllLanguages } from "../../../tools/toolchain";
import { type LanguageProgram, languageProgram } from "../support/language-program";
import {
    type Interruptible,
    PEERS,
    providersOf,
    remaining,
    UP,
    withStack,
    withTwoClusters,
} from "../support/meshed-through-proxies";
import { noPython, notRun } from "../support/no-python";
import { expectConverged, expectGone, expectIdle, expectNoPlainCredentials, expectRecorded } from "../support/outcomes";
import { until } from "../support/until";
import { argsOf, clusterArgs, meshOf } from "../support/world";

jest.setTimeout(600_000);

let mesh: Interruptible;
const world = withTwoClusters(toolchainOfAllLanguages);
const begin = (started: Interruptible): void => {
    mesh = started;
};

/** What every program is told of the same mistakes: where they are, in the words of the schema. */
const MISTAKES = [
    '- clusters[1].podCIDRs[0]: "10.17.0.1/16" has bits set after its prefix. Write 10.17.0.0/16',
    "- requestTimeout: requestTimeout must be a number of seconds above 0 and up to 3600. Give a number of seconds above 0 and up to 3600",
    '- topology.hubs[0]: there is no cluster "lisbon". Name one of "hub", "berlin"',
];

async function expectMistakesTold(): Promise<void> {
    const [hub, berlin] = world().clusters.clusters.map(clusterArgs);
    const clusters = [hub, { ...berlin, podCIDRs: ["10.17.0.1/16"] }];
    await mesh.project.write({ name: "edge", args: { clusters, requestTimeout: -1, topology: { hubs: ["lisbon"] } } });
    const { code, text } = await mesh.project.run(UP);
    expect(text).toContain("mesh edge: invalid arguments (3 errors)");
    expect(code).not.toBe(0);
    const lines = text.split("\n").map((line) => line.trim());
    expect([...new Set(lines.filter((line) => line.startsWith("- ")))]).toEqual(MISTAKES);
}

describe("a program in TypeScript", () => {
    withStack(world, begin, () => ({}));

    test("is told what is wrong with its arguments", expectMistakesTold);
});

for (const language of LANGUAGES) {
    const lacking = language === "python" ? noPython : undefined;
    (lacking === undefined ? describe : describe.skip)(`a program in ${language}${notRun(lacking)}`, () =>
        liveIn(language),
    );
}

function liveIn(language: Language): void {
    let program: LanguageProgram | undefined;
    beforeAll(async () => {
        program = await languageProgram(language, world().tools);
    });
    afterAll(async () => {
        await program?.remove();
    });
    withStack(world, begin, () => ({ host: "plugin", program: program! }));

    test("makes a mesh: previewed by name, written, left alone, grown, repaired, refreshed, without a dead cluster, gone", async () => {
        const { project, proxies } = mesh;
        const preview = (await project.preview()).text;
        for (const name of PEERS) expect(preview).toContain(name.slice(name.indexOf("/") + 1));
        expect(await mesh.ours()).toEqual([]);

        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual(PEERS);
        const { peers, meshFile } = await project.output("edge");
        expect(meshFile).toContain('"name": "berlin"');
        expect(peers).toEqual({
            hub: { count: 2, names: ["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"] },
            berlin: { count: 2, names: ["edge--hub--hub-n1", "edge--hub--hub-n2"] },
        });

        for (const proxy of proxies.values()) proxy.resetLog();
        await expectIdle(mesh);
        for (const { requests } of proxies.values()) {
            expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
                "GET /api/v1/namespaces/kube-system",
                "GET /api/v1/nodes",
                "GET /apis/kilo.squat.ai/v1alpha1/peers",
            ]);
        }

        await world().get("berlin").deletePeer("edge--hub--hub-n1");
        expect((await project.refresh()).text).toContain("edge--hub--hub-n1 is missing");
        await world().get("hub").deletePeer("edge--berlin--berlin-n2");
        await expectConverged(mesh);

        await proxies.get("berlin")!.down();
        world().expecting({ apart: [["berlin", "hub/hub-n3"]] });
        await world().get("hub").putNode({ name: "hub-n3", index: 3 });
        expect((await mesh.succeed(...UP)).text).toContain("unreachable");
        expect(await mesh.ours()).toEqual(PEERS);
        await proxies.get("berlin")!.up();
        world().expecting({});
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual([...PEERS, "berlin/edge--hub--hub-n3"].sort());

        await expectNoPlainCredentials(mesh);
        await expectGone(mesh);
    });

    test("^C once: nothing more is begun, what was written is recorded, no process is left, and the next up goes on", async () => {
        await world()
            .get("hub")
            .putNodes(Array.from({ length: 60 }, (_, n) => ({ name: `hub-x${n}`, index: n + 10 })));
        for (const proxy of mesh.proxies.values()) {
            proxy.inject({ fault: { kind: "delay", milliseconds: 500 }, when: ({ write }) => write });
        }
        const running = mesh.project.start(UP);
        const writes = async () =>
            [...mesh.proxies.values()].flatMap(({ requests }) => requests.filter(({ write }) => write));
        await until(writes, (sent) => sent.length > 20, 180);
        const providers = providersOf(running.pid);
        expect(providers).not.toEqual([]);
        // As a terminal does: to the whole group.
        running.interrupt();
        expect((await running.done).code).not.toBe(0);
        expect(await remaining(providers, 60)).toEqual([]);
        mesh.calm();
        expect((await expectRecorded(mesh)).length).toBeLessThan(64);
        await mesh.succeed(...UP);
        expect((await mesh.world.peers("berlin")).length).toBe(62);
        await expectGone(mesh);
    });

    test("is told what is wrong with its arguments as a program in TypeScript is", expectMistakesTold);

    test("has two meshes that overlap: the later one is refused before any of its writes, the first one is made", async () => {
        const [hub, berlin] = world().clusters.clusters.map(argsOf);
        const core = meshOf("core", [hub!, { ...berlin!, name: "lisbon" }]);
        await mesh.project.write(meshOf("edge", [hub!, berlin!]), { ...core, after: ["edge"] });
        const { code, text } = await mesh.project.run(UP);
        expect(text).toContain("mesh core: invalid arguments");
        expect(code).not.toBe(0);
        expect(await mesh.ours()).toEqual(PEERS);
    });

    test("does not know a kubeconfig yet: its peers are unknown in the preview, and the rest of it exact", async () => {
        const { project } = mesh;
        await project.writeLater(
            { clusters: ["berlin"], round: 1 },
            meshOf("edge", world().clusters.clusters.map(argsOf)),
        );
        const preview = await project.preview();
        expect(preview.text).toMatch(/berlin\s*: \[unknown\]/);
        expect(preview.code).toBe(0);
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual(PEERS);
    });

    test("lacks the plugin: what is printed says what to run, the state stays, and it works once that is done", async () => {
        await mesh.succeed(...UP);
        const urns = async () => (await mesh.project.resources()).map(({ urn }) => urn);
        const before = await urns();
        await mesh.project.removePlugin();
        const { code, text } = await mesh.project.run(UP);
        expect(text).toContain("no resource plugin 'pulumi-resource-kilo-clustermesh' found");
        expect(text).toContain("kilo-clustermesh plugin install");
        expect(code).not.toBe(0);
        expect(await urns()).toEqual(before);
        await mesh.project.installPlugin();
        const again = await mesh.succeed(...UP);
        expect(again.text).toMatch(/Resources:\s+7 unchanged/);
        expect(again.text).not.toContain("plugin install");
    });
}
