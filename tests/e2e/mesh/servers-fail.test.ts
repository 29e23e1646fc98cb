import { crash } from "../../support/crash-server";
import { type Interruptible, UP, withMesh } from "../support/meshed-through-proxies";
import { expectConverged, expectGone } from "../support/outcomes";
import { renewKeys } from "../support/renew-keys";
import { addStrangers } from "../support/strangers";
import { until } from "../support/until";

/** With the real engine, one of each kind; at every write in tests/faults/server-failures.test.ts. */
jest.setTimeout(600_000);

let mesh: Interruptible;
let expectStrangersUntouched: () => Promise<void>;
withMesh(async (started) => {
    mesh = started;
    expectStrangersUntouched = await addStrangers(mesh.world);
});

/**
 * Runs `up` and calls `strike` at its first write to the cluster, before that is done. The run counts as over when what
 * was struck answers again: only then can be seen what it came to.
 */
async function upWith(cluster: string, strike: () => Promise<void>): Promise<void> {
    let struck: Promise<void> | undefined;
    const proxy = mesh.proxies.get(cluster)!;
    await mesh.project.watched(UP, async () => {
        proxy.inject({
            fault: { kind: "reset" },
            when: ({ write }) => {
                if (write) struck ??= strike();
                return false;
            },
        });
        const outcome = await mesh.project.start(UP).done;
        proxy.clear();
        expect(struck).toBeDefined();
        await struck;
        mesh.world.get(cluster).resume();
        await expectAnswers();
        return outcome;
    });
}

async function expectAnswers(): Promise<void> {
    for (const cluster of mesh.world.clusters.clusters) {
        const answer = () => cluster.request("GET", "/readyz").catch(String);
        expect(await until(answer, (text) => text === "ok", 60)).toBe("ok");
    }
}

/** The next up converges, and a destroy after it leaves nothing but what is not ours. */
async function expectRecovered(): Promise<void> {
    await expectConverged(mesh);
    await expectGone(mesh);
    await expectStrangersUntouched();
}

test("etcd is killed during the first up and starts again: the next up converges", async () => {
    await upWith("hub", () => crash(mesh.world.clusters.database));
    await expectRecovered();
});

test("an API server is killed during an up and starts again: the next up converges", async () => {
    await mesh.succeed(...UP);
    await renewKeys(mesh.world.get("berlin"), "killed");
    await upWith("hub", () => crash(mesh.world.get("hub")));
    await expectRecovered();
});

test("an API server is frozen for the whole rest of an up and does late what it was asked: the next up converges", async () => {
    await mesh.succeed(...UP);
    await renewKeys(mesh.world.get("berlin"), "frozen");
    await upWith("hub", async () => mesh.world.get("hub").suspend());
    await expectRecovered();
});
