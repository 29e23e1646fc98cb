import {
    type Interruptible,
    killTree,
    PEERS,
    through,
    UP,
    withStack,
    withTwoClusters,
} from "../support/meshed-through-proxies";
import { expectGone, expectNoPlainCredentials } from "../support/outcomes";

jest.setTimeout(300_000);

let mesh: Interruptible;
const world = withTwoClusters();

/** The mesh of both clusters, recorded in groups. */
const grouped = (more: Record<string, unknown> = {}) => {
    const entry = through(world().clusters.clusters, mesh.proxies);
    return { ...entry, args: { ...entry.args, grouped: true, ...more } };
};

const idle = async (): Promise<void> => expect((await mesh.succeed(...UP)).text).toMatch(/Resources:\s+5 unchanged/);

describe.each(["dynamic", "plugin"] as const)("clusters recorded in groups, by the %s host", (host) => {
    withStack(
        world,
        async (started) => {
            mesh = started;
            await mesh.project.write(grouped());
        },
        () => ({ host }),
    );

    test("are previewed by name, written, left alone, repaired and cleaned up, and no credential is plain in the state", async () => {
        const { project, proxies } = mesh;
        const preview = (await project.preview()).text;
        for (const name of PEERS) expect(preview).toContain(name.slice(name.indexOf("/") + 1));
        expect(await mesh.ours()).toEqual([]);

        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual(PEERS);
        for (const proxy of proxies.values()) proxy.resetLog();
        await idle();
        for (const { requests } of proxies.values()) {
            expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
                "GET /api/v1/namespaces/kube-system",
                "GET /api/v1/nodes",
                "GET /apis/kilo.squat.ai/v1alpha1/peers",
            ]);
        }

        await world().get("hub").putNode({ name: "hub-n3", index: 3 });
        expect((await project.preview()).text).toMatch(/\+ *edge--hub--hub-n3/);
        await world().get("hub").deletePeer("edge--berlin--berlin-n2");
        expect((await project.refresh()).text).toContain("hub: not as it was written");
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual([...PEERS, "berlin/edge--hub--hub-n3"].sort());
        await expectNoPlainCredentials(mesh);
        await expectGone(mesh);
    });

    test("keep the peers of one that is dead, its credentials too", async () => {
        await mesh.succeed(...UP);
        await mesh.proxies.get("berlin")!.down();
        world().expecting({ silent: ["berlin"] });
        expect((await mesh.succeed(...UP)).text).toContain("unreachable");
        expect(await mesh.ours()).toEqual(PEERS);
        await expectNoPlainCredentials(mesh);
        await mesh.proxies.get("berlin")!.up();
        world().expecting({});
        await mesh.succeed(...UP);
        await idle();
        await expectGone(mesh);
    });

    test("of which one refuses writes are recorded as far as they were written, without a plain credential", async () => {
        const refused = { kind: "answer", status: 403 } as const;
        mesh.proxies.get("berlin")!.inject({ fault: refused, when: ({ method }) => method === "POST" });
        const { code, text } = await mesh.project.run(UP);
        expect(code).not.toBe(0);
        expect(text).toContain("berlin: edge--hub--hub-n1");
        expect(await mesh.ours()).toEqual(PEERS.filter((name) => name.startsWith("hub/")));
        await expectNoPlainCredentials(mesh);
        mesh.calm();
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual(PEERS);
        await idle();
        await expectGone(mesh);
    });

    test("of which one is not known yet leave the preview of the others exact", async () => {
        await mesh.succeed(...UP);
        await world().get("hub").putNode({ name: "hub-n3", index: 3 });
        await mesh.project.writeLater({ clusters: ["berlin"], round: 1 }, grouped());
        const { code, text } = await mesh.project.preview();
        expect(code).toBe(0);
        expect(text).not.toMatch(/- *edge--/);
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual([...PEERS, "berlin/edge--hub--hub-n3"].sort());
        await expectGone(mesh);
    });

    test("are not recorded otherwise by a later run, and nothing is touched", async () => {
        await mesh.succeed(...UP);
        await mesh.project.write(grouped({ grouped: false }));
        const { code, text } = await mesh.project.run(UP);
        expect(code).not.toBe(0);
        expect(text).toContain("the form in which a mesh is recorded is chosen when it is made");
        expect(await mesh.ours()).toEqual(PEERS);
        await mesh.project.write(grouped());
        await idle();
    });

    test("are converged and cleaned up after the first run was killed", async () => {
        await mesh.interruptAfter(2, UP, killTree);
        await mesh.unlock();
        await mesh.succeed(...UP);
        expect(await mesh.ours()).toEqual(PEERS);
        await idle();
        await expectGone(mesh);
    });

    test("of which none was recorded, because the first run was killed, leave nothing behind", async () => {
        await mesh.interruptAfter(2, UP, killTree);
        await mesh.unlock();
        expect((await mesh.ours()).length).toBeGreaterThan(0);
        await expectGone(mesh);
    });
});
