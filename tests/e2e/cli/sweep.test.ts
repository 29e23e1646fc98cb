import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import { deleteOffered } from "../../../cli/sweep/delete-offered";
import { namedOwner } from "../../../cli/sweep/named-owner";
import { reach } from "../../../cli/sweep/reach";
import { type SweepReport, sweepReport } from "../../../cli/sweep/report";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { type LocalClusters, publicKey, startClusters } from "../../../tools/clusters";
import { Command } from "./command";

/** On real API servers, with the accounts of docs/rbac.yaml. */
const LOST = "3f0c9a52d1e84b7f60c1";
const ALIVE = "77aa9a52d1e84b7f60c1";
const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";

let clusters: LocalClusters;
let directory: string;
let command: Command;

beforeAll(async () => {
    clusters = await startClusters({ names: ["hub", "berlin"] });
    directory = mkdtempSync(path.join(tmpdir(), "kilo-sweep-e2e-"));
    command = new Command(directory);
    writeFileSync(path.join(directory, "mesh.yaml"), stringify({ mesh: "global", clusters: specs() }));
});
afterAll(async () => {
    command?.end();
    await clusters?.stop();
    if (directory) rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
    for (const cluster of clusters.clusters) await cluster.request("DELETE", PEERS);
    await put("global--paris--paris-n1", { claim: LOST });
    await put("global--paris--paris-n2", { claim: LOST });
    await put("global--paris--paris-n3", { claim: ALIVE });
    await put("global--paris--paris-n4", {});
    await put("road-warrior");
});

const specs = (): ClusterSpec[] =>
    clusters.clusters.map(({ name, kubeconfigFile, podCIDR }) => ({
        name,
        kubeconfig: kubeconfigFile,
        podCIDRs: [podCIDR],
    }));

/** Without labels where nothing is given. */
async function put(
    name: string,
    owned?: { readonly claim?: string },
    finalizers: readonly string[] = [],
): Promise<void> {
    const claim = owned?.claim === undefined ? {} : { "kilo-clustermesh.io/claim": owned.claim };
    const labels = owned === undefined ? {} : { "kilo-clustermesh.io/mesh": "global", ...claim };
    await clusters.get("hub").request("POST", PEERS, {
        apiVersion: "kilo.squat.ai/v1alpha1",
        kind: "Peer",
        metadata: { name, labels, finalizers },
        spec: { allowedIPs: ["10.40.1.0/24"], publicKey: publicKey("paris", name) },
    });
}

const left = async (): Promise<string[]> =>
    (await clusters.get("hub").listPeers()).map(({ metadata }) => metadata.name).sort();
const STRANGERS = ["global--paris--paris-n3", "global--paris--paris-n4", "road-warrior"];
const OURS = ["global--paris--paris-n1", "global--paris--paris-n2"];

test("without consent it lists and deletes nothing; with it, it deletes what has the claim and nothing else", async () => {
    const listed = await command.run(["sweep", "--claim", LOST]);
    expect(listed).toMatchObject({ code: 2, err: "" });
    expect(listed.out).toContain("2 of 5 peers in 2 clusters left over");
    expect(await left()).toEqual([...OURS, ...STRANGERS]);

    const { code, report } = await command.json<SweepReport>("sweep", "--claim", LOST, "--yes");
    expect({ code, clean: report.clean }).toEqual({ code: 0, clean: true });
    expect(report.offered.map(({ name, outcome }) => [name, outcome?.result])).toEqual(
        OURS.map((name) => [name, "deleted"]),
    );
    expect(await left()).toEqual(STRANGERS);
    expect((await command.run(["sweep", "--claim", LOST])).code).toBe(0);
});

test("a peer that a finalizer holds is still there: it is said, and said again", async () => {
    const name = "global--paris--paris-n0";
    await put(name, { claim: LOST }, ["example.net/hold"]);
    try {
        const first = await command.run(["sweep", "--claim", LOST, "--yes"]);
        expect(first.code).toBe(2);
        expect(first.out).toContain(`terminating  ${name} in hub: it is still there, held by example.net/hold`);
        const second = await command.json<SweepReport>("sweep", "--claim", LOST);
        expect(second).toMatchObject({ code: 2, report: { offered: [] } });
        expect(await left()).toEqual([name, ...STRANGERS]);
    } finally {
        await clusters.get("hub").patchPeer(name, { metadata: { finalizers: null } });
    }
});

test("what somebody re-created, or another mesh took over, between list and delete is left alone", async () => {
    const { owner } = namedOwner({ claim: LOST });
    const reached = await reach(specs(), { timeoutSeconds: 10, onProgress: () => undefined });
    try {
        const { offered } = sweepReport("claim", ["hub", "berlin"], reached.clusters, owner);
        expect(offered.map(({ name }) => name)).toEqual(OURS);
        const hub = clusters.get("hub");
        await hub.deletePeer(OURS[0]!);
        await put(OURS[0]!, { claim: LOST });
        await hub.patchPeer(OURS[1]!, { metadata: { labels: { "kilo-clustermesh.io/claim": ALIVE } } });
        const after = await deleteOffered(offered, reached, owner);
        expect(after.map(({ outcome }) => outcome?.result)).toEqual(["left alone", "left alone"]);
        // the server itself refuses, where only the uid tells
        expect(await reached.deletePeer("hub", OURS[0]!, offered[0]!.uid)).toBe("not-ours");
        expect(await left()).toEqual([...OURS, ...STRANGERS]);
    } finally {
        await reached.close();
    }
});

test("a cluster whose kubeconfig is missing is named, and hides nothing of the others", async () => {
    const [hub] = specs();
    const dead = { name: "paris", kubeconfig: path.join(directory, "none.yaml"), podCIDRs: ["10.99.0.0/16"] };
    writeFileSync(path.join(directory, "dead.yaml"), stringify({ mesh: "global", clusters: [hub, dead] }));
    const { code, report } = await command.json<SweepReport>("sweep", "-f", "dead.yaml", "--claim", LOST, "--yes");
    expect(code).toBe(2);
    expect(report.unread.map(({ name, state }) => [name, state])).toEqual([["paris", "unusable"]]);
    expect(await left()).toEqual(STRANGERS);
});
