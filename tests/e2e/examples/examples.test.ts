import { nodeSpecs } from "../../../tools/clusters";
import { noPython, notRun } from "../support/no-python";
import { openStage, type Play, type Stage } from "./stage";

let stage: Stage;
beforeAll(async () => {
    stage = await openStage();
});
afterAll(() => stage?.close());

const nodes = (mesh: string, cluster: string, count = 3): string[] =>
    nodeSpecs({ name: cluster }, count).map(({ name }) => `${mesh}--${cluster}--${name}`);

async function expectNothingLeft(play: Play): Promise<void> {
    await play.destroy();
    for (const cluster of Object.keys(play.clusters)) expect(await play.peers(cluster)).toEqual({});
}

/** Name → uid and version: any write shows. */
const versions = (peers: Awaited<ReturnType<Play["peers"]>>): Record<string, string> =>
    Object.fromEntries(
        Object.entries(peers).map(([name, { metadata }]) => [name, `${metadata.uid} ${metadata.resourceVersion}`]),
    );

/** From the preview to the destroy of the smallest mesh, in whatever language. */
async function liveThrough(example: string): Promise<void> {
    const play = await stage.open(example);
    expect(await play.preview()).toContain("pair--berlin--berlin-n1");
    await play.up();
    const amsterdam = await play.peers("amsterdam");
    expect(Object.keys(amsterdam)).toEqual(nodes("pair", "berlin"));
    expect(Object.keys(await play.peers("berlin"))).toEqual(nodes("pair", "amsterdam"));
    expect(amsterdam["pair--berlin--berlin-n1"]?.spec.allowedIPs).toEqual(["10.17.1.0/24", "172.16.16.0/20"]);
    expect(amsterdam["pair--berlin--berlin-n2"]?.spec.allowedIPs).toEqual(["10.17.2.0/24"]);
    expect(await play.up()).toMatch(/Resources:\s+7 unchanged/);
    expect(await play.outputs()).toMatchObject({ peers: { amsterdam: { count: 3 } }, skippedNodes: [] });
    await expectNothingLeft(play);
}

test("two-clusters: the preview names the peers, up writes them, a second up changes nothing, destroy leaves nothing", () =>
    liveThrough("two-clusters"));

test.each(["two-clusters-yaml", "two-clusters-go"])("%s: the same from another language", liveThrough);

(noPython === undefined ? test : test.skip)(
    `two-clusters-python${notRun(noPython)}: the same from another language`,
    () => liveThrough("two-clusters-python"),
);

test("hub-and-spoke: the hub holds every spoke, a spoke holds the hub alone", async () => {
    const play = await stage.open("hub-and-spoke", { hubs: ["hub"] });
    await play.up();
    expect(Object.keys(await play.peers("hub"))).toEqual([...nodes("star", "spoke-1"), ...nodes("star", "spoke-2")]);
    for (const spoke of ["spoke-1", "spoke-2"]) {
        expect(Object.keys(await play.peers(spoke))).toEqual(nodes("star", "hub"));
    }
    await play.pulumi(["config", "rm", "--path", "spokes[1]"]);
    play.joins({ clusters: ["hub", "spoke-1"] });
    await play.up();
    expect(Object.keys(await play.peers("hub"))).toEqual(nodes("star", "spoke-1"));
    expect(await play.peers("spoke-2")).toEqual({});
    await expectNothingLeft(play);
});

test("nat-edge: peers of a cluster behind NAT have no endpoint and a keepalive, and only the hub has them", async () => {
    const play = await stage.open("nat-edge", { hubs: ["hub"], natted: ["shop", "depot"] });
    await play.up();
    const hub = Object.values(await play.peers("hub"));
    expect(hub).toHaveLength(4);
    for (const { spec } of hub) {
        expect(spec.endpoint).toBeUndefined();
        expect(spec.persistentKeepalive).toBe(25);
    }
    const shop = await play.peers("shop");
    expect(Object.keys(shop)).toEqual(nodes("edge", "hub"));
    expect(shop["edge--hub--hub-n1"]?.spec.endpoint).toEqual({ dnsOrIP: { ip: "198.18.0.1" }, port: 51820 });
    await expectNothingLeft(play);
});

test("location-granularity: one peer for each location, and a new leader changes it in place", async () => {
    const play = await stage.open("location-granularity");
    await play.up();
    const before = await play.peers("core");
    expect(Object.keys(before)).toEqual(["regions--fleet--location-danube", "regions--fleet--location-rhine"]);
    expect(before["regions--fleet--location-rhine"]?.spec.allowedIPs).toEqual([
        "10.16.1.0/24",
        "10.16.2.0/24",
        "10.16.3.0/24",
    ]);
    expect(Object.keys(await play.peers("fleet"))).toEqual(nodes("regions", "core"));

    const { fleet } = play.clusters;
    await fleet!.patchNodeAnnotations("fleet-n1", { "kilo.squat.ai/leader": null });
    await fleet!.patchNodeAnnotations("fleet-n2", { "kilo.squat.ai/leader": "true" });
    await play.up();
    const [was, is] = [before, await play.peers("core")].map((peers) => peers["regions--fleet--location-rhine"]!);
    expect(is!.metadata.uid).toBe(was!.metadata.uid);
    expect(is!.spec.publicKey).not.toBe(was!.spec.publicKey);
    expect(is!.spec.allowedIPs).toEqual(was!.spec.allowedIPs);
    await expectNothingLeft(play);
});

test("migrate-from-operator: without adopt nothing is touched, with it every peer is taken over as it stands", async () => {
    const play = await stage.open("migrate-from-operator");
    const operators = await play.peers("east");
    // What the operator's peers have as endpoints.
    const ends = ["east", "west"].flatMap((cluster, index) => [1, 2, 3].map((at) => ({ cluster, index, at })));
    const forwards = ends.map(({ cluster, index, at }) => {
        return [`203.0.113.${index * 10 + at}:51820`, { cluster, node: `${cluster}-n${at}` }];
    });
    play.expecting({ forwards: Object.fromEntries(forwards) });
    await play.up();
    expect(versions(await play.peers("east"))).toEqual(versions(operators));
    const { skippedNodes } = (await play.outputs()) as { skippedNodes: { reason: string }[] };
    expect(skippedNodes.map(({ reason }) => reason)).toEqual(Array(6).fill("PeerNameForeign"));

    await play.setConfig("adopt", "true");
    expect(await play.preview()).toContain("my-mesh--west--west-n1");
    await play.up();
    const ours = await play.peers("east");
    expect(Object.values(ours).map(({ metadata }) => metadata.uid)).toEqual(
        Object.values(operators).map(({ metadata }) => metadata.uid),
    );
    for (const { metadata } of Object.values(ours)) {
        expect(metadata.labels).toMatchObject({
            "app.kubernetes.io/managed-by": "pulumi",
            "kilo-clustermesh.io/claim": expect.any(String),
        });
    }

    await play.setConfig("adopt", "false");
    await play.up();
    expect(versions(await play.peers("east"))).toEqual(versions(ours));
    await expectNothingLeft(play);
});

test("continuous: kubeconfigs come out of Secrets, and the next run follows a node that the autoscaler added", async () => {
    const play = await stage.open("continuous");
    await play.up();
    expect(Object.keys(await play.peers("blue"))).toEqual([...nodes("fleet", "green"), ...nodes("fleet", "platform")]);
    await play.clusters.green!.putNode({ name: "green-n4", index: 4 });
    await play.up();
    for (const cluster of ["platform", "blue"]) {
        expect(Object.keys(await play.peers(cluster))).toContain("fleet--green--green-n4");
    }
    await expectNothingLeft(play);
});
