import type { LocalCluster } from "../../../tools/clusters";
import type { MeshEntry, Outcome, Project } from "../support/project";
import { argsOf, meshOf, startWorld, type World } from "../support/world";

jest.setTimeout(600_000);

let world: World;
let project: Project;

beforeAll(async () => {
    world = await startWorld(["hub", "berlin", "tokyo"], 2);
});

afterAll(async () => {
    await world?.stop();
});

beforeEach(async () => {
    await world.reset();
    project = await world.project();
});

function succeed(outcome: Outcome): string {
    if (outcome.code !== 0) throw new Error(outcome.text);
    return outcome.text;
}

const three = (more: Record<string, unknown> = {}, tokyo: Partial<LocalCluster> = {}): MeshEntry =>
    meshOf("edge", [world.get("hub"), world.get("berlin"), { ...argsOf(world.get("tokyo")), ...tokyo }], {
        requestTimeout: 4,
        ...more,
    });

/** Every peer of ours in every cluster, with its uid: equal before and after means that none was replaced. */
async function uids(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of ["hub", "berlin", "tokyo"]) {
        for (const { metadata } of await world.get(name).listPeers()) found[`${name}/${metadata.name}`] = metadata.uid;
    }
    return found;
}

const withEnvironment = (args: readonly string[], env: Record<string, string>): Promise<Outcome> =>
    project.run([...args, "--yes", "--skip-preview", "--stack", project.stack], env);

test("a value that is not known yet hides its own cluster only, and a replaced cluster withdraws nothing in the preview", async () => {
    await project.writeLater({ clusters: ["tokyo"], round: 1 }, three());
    const first = succeed(await project.preview());
    expect(first).toContain("edge--hub--hub-n1");
    expect(first).not.toContain("edge--tokyo--tokyo-n1");
    succeed(await project.up());
    const before = await uids();
    expect(Object.keys(before)).toHaveLength(12);
    await world.get("hub").putNode({ name: "hub-n3", index: 3 });
    await project.writeLater({ clusters: ["tokyo"], round: 2 }, three());
    const preview = succeed(await project.preview());
    expect(preview).toContain("+ edge--hub--hub-n3");
    // what the engine shows as gone is shown as not known yet beside it, and nothing else is
    for (const source of ["tokyo", "hub", "berlin"]) {
        const gone = preview.match(new RegExp(`^\\s+- ${source}\\s*: \\{`, "gm")) ?? [];
        const unknown = preview.match(new RegExp(`^\\s+\\+ ${source}\\s*: \\[unknown\\]`, "gm")) ?? [];
        expect(unknown).toHaveLength(gone.length);
    }
    expect(preview).not.toMatch(/to delete/);
    succeed(await project.up());
    expect(await uids()).toMatchObject(before);
    succeed(await project.destroy());
    expect(await uids()).toEqual({});
});

test("exchanged kubeconfigs rewrite nothing, and a cluster that was rebuilt is taken on when the program says so", async () => {
    await project.write(three());
    succeed(await project.up());
    const before = await uids();
    const [hub, tokyo] = [world.get("hub"), world.get("tokyo")];
    const swapped = [
        { ...argsOf(hub), kubeconfig: tokyo.kubeconfig },
        world.get("berlin"),
        { ...argsOf(tokyo), kubeconfig: hub.kubeconfig },
    ];
    await project.write(meshOf("edge", swapped));
    const refused = await project.up();
    expect(refused.code).not.toBe(0);
    expect(refused.text).toMatch(/another cluster answers \(kube-system (\S+)\)/);
    expect(refused.text).toMatch(/rebuilt: "\S+"/);
    expect(await uids()).toEqual(before);
    await project.write(three());
    succeed(await project.up());
    expect(await uids()).toEqual(before);
});

test("two names for one cluster: the one that was recorded stays, the other is refused", async () => {
    await project.write(meshOf("edge", [world.get("hub"), world.get("berlin")]));
    succeed(await project.up());
    const before = await uids();
    const twin = { ...argsOf(world.get("tokyo")), kubeconfig: world.get("berlin").kubeconfig };
    await project.write(meshOf("edge", [world.get("hub"), world.get("berlin"), twin]));
    const refused = await project.up();
    expect(refused.code).not.toBe(0);
    expect(refused.text).toMatch(/cluster tokyo: it is the same cluster as berlin/);
    expect(await uids()).toMatchObject(before);
});

test("a renamed cluster keeps its peers: they are taken over, and the preview says so", async () => {
    await project.write(three());
    succeed(await project.up());
    const before = await uids();
    const renamed = { ...argsOf(world.get("tokyo")), name: "osaka" };
    await project.write(meshOf("edge", [world.get("hub"), world.get("berlin"), renamed]));
    expect(succeed(await project.preview())).toContain("will be taken over");
    // Its peers elsewhere have its name in theirs: those of two nodes with four others, both ways.
    world.expecting({ interrupted: 2 * 4 * 2 });
    succeed(await project.up());
    world.expecting({});
    const after = await uids();
    for (const name of Object.keys(before).filter((peer) => peer.startsWith("tokyo/")))
        expect(after[name]).toBe(before[name]);
    expect(Object.keys(after).filter((peer) => peer.includes("--osaka--"))).toHaveLength(4);
    expect(Object.keys(after).filter((peer) => peer.includes("--tokyo--"))).toHaveLength(0);
    expect(succeed(await project.up())).toMatch(/9 unchanged/);
});

test("a member that is replaced keeps its peers", async () => {
    await project.write(three());
    succeed(await project.up());
    const before = await uids();
    const member = (await project.resources()).find(({ urn }) => urn.endsWith("::edge-tokyo"))!;
    succeed(await project.up("--replace", member.urn));
    expect(await uids()).toEqual(before);
    expect(succeed(await project.up())).toMatch(/9 unchanged/);
    succeed(await project.destroy());
    expect(await uids()).toEqual({});
});

test("a saved plan holds for new members", async () => {
    await project.write(three());
    succeed(await project.preview("--save-plan", "plan.json"));
    succeed(await project.up("--plan", "plan.json"));
    expect(Object.keys(await uids())).toHaveLength(12);
});

test("two meshes of one program over the same nodes are both refused, and of two stacks the first keeps its peers", async () => {
    const pair = [world.get("hub"), world.get("berlin")];
    await project.write(meshOf("one", pair), meshOf("two", pair));
    const refused = await project.up();
    expect(refused.code).not.toBe(0);
    expect(refused.text).toMatch(/mesh one: .*would write the same keys/s);
    expect(refused.text).toMatch(/mesh two: .*would write the same keys/s);
    expect(await uids()).toEqual({});
    await project.write(meshOf("one", pair));
    succeed(await project.up());
    const before = await uids();
    const other = await world.project({ stack: "other" });
    await other.write(meshOf("two", pair));
    const second = await other.up();
    expect(second.text).toContain("PeerKeyForeign");
    expect(await uids()).toEqual(before);
    expect(succeed(await project.up())).toMatch(/7 unchanged/);
});

test("a mesh over nodes that another mesh of the program has joined already is refused, and that one keeps its peers", async () => {
    const pair = [world.get("hub"), world.get("berlin")];
    await project.write(meshOf("one", pair));
    succeed(await project.up());
    const before = await uids();
    await project.write(meshOf("one", pair), meshOf("two", pair));
    for (const refused of [await project.preview(), await project.up()]) {
        expect(refused.text).toMatch(/mesh two: .*would write the same keys/s);
        expect(refused.code).not.toBe(0);
    }
    expect(await uids()).toEqual(before);
});

test("children of one URN are refused in our words", async () => {
    const [hub, berlin] = [world.get("hub"), world.get("berlin")];
    const named = (name: string, cluster: LocalCluster) => ({ ...argsOf(cluster), name });
    await project.write(
        meshOf("prod", [named("eu-west", hub), named("x", berlin)]),
        meshOf("prod-eu", [named("west", hub), named("y", berlin)]),
    );
    const { code, text } = await project.preview();
    expect(code).not.toBe(0);
    expect(text).toContain('would both have a child named "prod-eu-west"');
});

test("a peer that a finalizer holds counts as there: destroy does not succeed over it", async () => {
    await project.write(three());
    succeed(await project.up());
    const path = "/apis/kilo.squat.ai/v1alpha1/peers/edge--tokyo--tokyo-n1";
    const finalizers = (list: readonly string[]) =>
        world.get("hub").patchPeer("edge--tokyo--tokyo-n1", { metadata: { finalizers: list } });
    await finalizers(["example.com/hold"]);
    const held = await project.destroy();
    expect(held.code).not.toBe(0);
    expect(held.text).toContain("example.com/hold");
    expect(await world.get("hub").request("GET", path)).toMatchObject({
        metadata: { finalizers: ["example.com/hold"] },
    });
    await finalizers([]);
    succeed(await project.destroy());
    expect(await uids()).toEqual({});
});

test("credentials stay: a silent holder of a kubeconfig, and an override for one run, erase nothing", async () => {
    const [hub, tokyo] = [world.get("hub"), world.get("tokyo")];
    await hub.request("POST", "/api/v1/namespaces/default/secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "tokyo-kubeconfig" },
        stringData: { value: tokyo.kubeconfig },
    });
    await allowSecrets(hub);
    const reference = { cluster: "hub", namespace: "default", name: "tokyo-kubeconfig", key: "value" };
    const entry = three();
    const clusters = (entry.args.clusters as Record<string, unknown>[]).map((cluster) => {
        if (cluster.name !== "tokyo") return cluster;
        const { kubeconfig: _, ...rest } = cluster;
        return { ...rest, kubeconfigSecret: reference };
    });
    await project.write({ ...entry, args: { ...entry.args, clusters } });
    succeed(await project.up());
    const before = await uids();
    succeed(await withEnvironment(["up"], { KILO_CLUSTERMESH_KUBECONFIG_TOKYO: tokyo.kubeconfig }));
    await hub.stop();
    world.expecting({ silent: ["hub"] });
    const text = succeed(await project.up());
    expect(text.match(/refuses the connection/g)?.length).toBeGreaterThan(0);
    await hub.start();
    world.expecting({});
    expect(await uids()).toEqual(before);
    await hub.request("DELETE", "/api/v1/namespaces/default/secrets/tokyo-kubeconfig");
    succeed(await project.destroy());
    expect(await uids()).toEqual({});
});

/** What docs/rbac.yaml leaves to the user: the right to read that one Secret. */
async function allowSecrets(hub: LocalCluster): Promise<void> {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await hub.request("POST", `${rbac}/namespaces/default/roles`, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "read-kubeconfigs" },
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
    });
    await hub.request("POST", `${rbac}/namespaces/default/rolebindings`, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "read-kubeconfigs" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "read-kubeconfigs" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:authenticated" }],
    });
}

test("adopt deletes nothing that it cannot judge: peers of a silent source are taken over as they are", async () => {
    await project.write(three());
    succeed(await project.up());
    const before = await uids();
    const lost = await world.project({ stack: "lost" });
    await lost.write(three({ adopt: true }));
    await world.get("tokyo").stop();
    world.expecting({ silent: ["tokyo"] });
    succeed(await lost.up());
    await world.get("tokyo").start();
    expect(await uids()).toEqual(before);
});

test("a member that was never seen is removed without contact", async () => {
    const nowhere = { kubeconfig: world.get("tokyo").kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") };
    await project.write(three({}, nowhere));
    world.expecting({
        apart: [
            ["tokyo", "hub"],
            ["tokyo", "berlin"],
        ],
    });
    succeed(await project.up());
    await project.write(meshOf("edge", [world.get("hub"), world.get("berlin")]));
    succeed(await project.up());
    expect((await project.resources()).filter(({ urn }) => urn.includes("tokyo"))).toEqual([]);
});

test("a wireguard-ip that two nodes carry, and a key that is corrupt alone, take no peer away", async () => {
    await project.write(three());
    succeed(await project.up());
    const before = await uids();
    const tokyo = world.get("tokyo");
    const annotate = (node: string, annotations: Record<string, string | null>) =>
        tokyo.patchNodeAnnotations(node, annotations);
    await annotate("tokyo-n2", { "kilo.squat.ai/wireguard-ip": "100.66.0.1/16" });
    succeed(await project.up());
    await annotate("tokyo-n2", { "kilo.squat.ai/key": "corrupt", "kilo.squat.ai/force-endpoint": "typo" });
    succeed(await project.up());
    expect(await uids()).toEqual(before);
    await annotate("tokyo-n2", {
        "kilo.squat.ai/wireguard-ip": null,
        "kilo.squat.ai/endpoint": null,
        "kilo.squat.ai/granularity": null,
        "kilo.squat.ai/key": null,
        "kilo.squat.ai/force-endpoint": null,
    });
    succeed(await project.up());
    expect(await uids()).toEqual(before);
});
