import { type DoubleMember, startDoubleWorld } from "../support/engine/double-world";
import { isOfMesh } from "../support/engine/member-cluster";
import type { MeshWorld } from "../support/engine/mesh-world";
import { demandConverged, demandGone, demands } from "./support/demands";
import { fillWorld } from "./support/scenarios";

/** Others write into the same targets at the same time. */

let world: MeshWorld<DoubleMember>;
const { broken, demand } = demands();

beforeEach(async () => {
    broken.length = 0;
    world = await startDoubleWorld(["hub", "berlin"]);
    await fillWorld(world);
});
afterEach(async () => {
    await world.close();
});

const peersWithClaim = (claims: Readonly<Record<string, string>>) =>
    world.clusters.flatMap(({ name, double }) =>
        double.peers.all().filter(({ metadata }) => metadata.labels?.["kilo-clustermesh.io/claim"] === claims[name]),
    );

test("two stacks with one mesh name run at once: every peer has one owner, and no key or network two peers", async () => {
    const rivals = [world.engine("organization/one/dev/edge"), world.engine("organization/two/dev/edge")];
    await Promise.all(rivals.map((engine) => engine.up(world.program())));
    expect(await world.violations()).toEqual([]);
    const owned = rivals.map((engine) => peersWithClaim(engine.claims()).map(({ metadata }) => metadata.uid));
    expect(owned.flat().sort()).toEqual(
        world.clusters
            .flatMap(({ double }) => double.peers.all().filter(isOfMesh))
            .map(({ metadata }) => metadata.uid)
            .sort(),
    );
    expect(owned.flat()).toHaveLength(4);
});

test("the stack that came second is told whose the peers are, and its destroy touches none of the first", async () => {
    const [first, second] = [world.engine("organization/one/dev/edge"), world.engine("organization/two/dev/edge")];
    await first.up(world.program());
    const before = JSON.stringify(world.clusters.map(({ double }) => double.peers.all()));
    const { plan, failures } = await second.up(world.program());
    expect(failures).toEqual([]);
    expect(new Set(plan?.skipped.map(({ reason }) => reason))).toEqual(new Set(["PeerNameForeign"]));
    expect(plan?.skipped[0]?.message).toContain("organization/one/dev/edge");
    await second.destroy();
    expect(JSON.stringify(world.clusters.map(({ double }) => double.peers.all()))).toBe(before);
});

test("two stacks with meshes of their own names over the same nodes: the second leaves the keys to the first", async () => {
    const [first, second] = [world.engine("one"), world.engine("two")];
    await first.up(world.program());
    const { plan } = await second.up(world.program({ mesh: "other" }));
    expect(await world.violations()).toEqual([]);
    expect(peersWithClaim(second.claims())).toEqual([]);
    expect(plan?.skipped.length).toBe(4);
});

test("a writer that fights us cannot make us clash, and once it stops one run converges", async () => {
    const engine = world.engine();
    await engine.up(world.program());
    const { double } = world.get("hub");
    let fighting = true;
    // It undoes every write of ours to a spec, as an operator with another opinion does.
    double.peers.onEvent(({ type, object }) => {
        if (!fighting || type !== "MODIFIED" || !isOfMesh(object) || object.spec.persistentKeepalive === 7) return;
        setImmediate(() => double.peers.patch(object.metadata.name, { spec: { persistentKeepalive: 7 } }, false));
    });
    for (const { metadata } of double.peers.all().filter(isOfMesh)) {
        double.peers.patch(metadata.name, { spec: { persistentKeepalive: 7 } }, false);
    }
    for (let round = 0; round < 3; round++) expect((await engine.up(world.program())).failures).toEqual([]);
    fighting = false;
    await demandConverged(world, engine, world.program(), demand);
    await demandGone(world, engine, demand);
    expect([...broken, ...(await world.violations())]).toEqual([]);
});

test("a conflict on every patch fails those peers alone, by name, and the next run converges", async () => {
    const engine = world.engine();
    await engine.up(world.program());
    await world.get("berlin").putNode({ name: "berlin-n1", endpoint: "203.0.113.7:51820" });
    await world.get("berlin").putNode({ name: "berlin-n3" });
    const { proxy, double } = world.get("hub");
    proxy.inject({ fault: { kind: "answer", status: 409 }, when: ({ method }) => method === "PATCH" });
    const { failures } = await engine.up(world.program());
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/1 of 2 changes in hub failed.*edge--berlin--berlin-n1: .*409/s);
    expect(double.peers.all().map(({ metadata }) => metadata.name)).toContain("edge--berlin--berlin-n3");
    world.calm();
    await demandConverged(world, engine, world.program(), demand);
    expect([...broken, ...(await world.violations())]).toEqual([]);
});
