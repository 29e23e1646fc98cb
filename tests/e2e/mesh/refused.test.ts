import { decodeLedger } from "../../../provider/state/ledger";
import { DESTROY, type Interruptible, UP, withMesh } from "../support/meshed-through-proxies";
import { expectIdle } from "../support/outcomes";
import type { StateResource } from "../support/project";

jest.setTimeout(600_000);

let mesh: Interruptible;
withMesh((started) => {
    mesh = started;
});

const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/** From now on the hub itself refuses every peer that stands for a node n2, as a webhook or a quota would. */
async function refuseSecondNodes(): Promise<void> {
    const hub = mesh.world.get("hub");
    await hub.request("POST", POLICIES, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicy",
        metadata: { name: "no-second-nodes" },
        spec: {
            failurePolicy: "Fail",
            matchConstraints: {
                resourceRules: [
                    { apiGroups: ["kilo.squat.ai"], apiVersions: ["*"], operations: ["CREATE"], resources: ["peers"] },
                ],
            },
            validations: [{ expression: "!object.metadata.name.endsWith('n2')", message: "no second nodes today" }],
        },
    });
    await hub.request("POST", BINDINGS, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: "no-second-nodes" },
        spec: { policyName: "no-second-nodes", validationActions: ["Deny"] },
    });
    // The server takes a moment to enforce it.
    for (let round = 0; round < 100; round++) {
        const probe = await hub
            .createPeer({ name: `probe-${round}-n2`, spec: { publicKey: "probe", allowedIPs: [] } })
            .catch(() => undefined);
        if (probe === undefined) return;
        await hub.deletePeer(probe.metadata.name);
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error("the policy is not enforced");
}

async function allowAgain(): Promise<void> {
    for (const path of [BINDINGS, POLICIES]) {
        const { items } = await mesh.world.get("hub").request<{ items: { metadata: { name: string } }[] }>("GET", path);
        for (const { metadata } of items) await mesh.world.get("hub").request("DELETE", `${path}/${metadata.name}`);
    }
}

afterEach(allowAgain);

const peerSetOf = (resources: readonly StateResource[], cluster: string): StateResource | undefined =>
    resources.find(({ urn }) => urn.endsWith(`::edge-${cluster}-peers`));

test("a peer that the cluster refuses fails the run by name, the others are written and recorded, and the next up goes on", async () => {
    await refuseSecondNodes();
    const refused = await mesh.project.run(UP);
    expect(refused.code).not.toBe(0);
    expect(refused.text).toMatch(/edge--berlin--berlin-n2: .*no second nodes today/);
    expect(refused.text).not.toMatch(/edge--berlin--berlin-n1: /);
    expect(refused.text).toContain("1 of 2 changes in hub failed; what was done is recorded. Run `pulumi up` again");
    const ledger = decodeLedger(peerSetOf(await mesh.project.resources(), "hub")?.outputs?.ledger);
    expect(ledger.has("edge--berlin--berlin-n1")).toBe(true);
    expect(ledger.has("edge--berlin--berlin-n2")).toBe(false);
    const before = await mesh.world.get("hub").listPeers();
    expect(before.map(({ metadata }) => metadata.name)).toEqual(["edge--berlin--berlin-n1"]);
    expect(await mesh.world.peers("berlin")).toHaveLength(2);

    await allowAgain();
    await mesh.succeed(...UP);
    const after = await mesh.world.get("hub").listPeers();
    expect(after.map(({ metadata }) => metadata.name)).toEqual(["edge--berlin--berlin-n1", "edge--berlin--berlin-n2"]);
    expect(after[0]).toEqual(before[0]);
    await expectIdle(mesh);
});

test("a conflict on every patch fails that peer alone, and the next up goes on", async () => {
    await mesh.succeed(...UP);
    await mesh.world.get("berlin").patchNodeAnnotations("berlin-n1", {
        "kilo.squat.ai/force-endpoint": "203.0.113.77:4500",
    });
    const conflict = { kind: "Status", status: "Failure", reason: "Conflict", message: "changed meanwhile", code: 409 };
    const proxy = mesh.proxies.get("hub")!;
    proxy.resetLog();
    proxy.inject({ fault: { kind: "answer", status: 409, body: conflict }, when: ({ method }) => method === "PATCH" });
    const { code, text } = await mesh.project.run(UP);
    proxy.clear();
    expect(code).not.toBe(0);
    expect(text).toMatch(/edge--berlin--berlin-n1: .*409 changed meanwhile\. Run again/);
    expect(proxy.requests.filter(({ method }) => method === "PATCH").length).toBeGreaterThan(1);
    await mesh.succeed(...UP);
    const [first] = await mesh.world.get("hub").listPeers();
    expect(first?.spec.endpoint).toEqual({ dnsOrIP: { ip: "203.0.113.77" }, port: 4500 });
});

test("a refused delete keeps its peer in the state, by name, and the next destroy goes on", async () => {
    await mesh.succeed(...UP);
    const proxy = mesh.proxies.get("hub")!;
    const isFirst = ({ method, path }: { method: string; path: string }): boolean =>
        method === "DELETE" && path.endsWith("berlin-n1");
    proxy.inject({ fault: { kind: "answer", status: 403 }, when: isFirst });
    const { code, text } = await mesh.project.run(DESTROY);
    proxy.clear();
    expect(code).not.toBe(0);
    expect(text).toMatch(/1 of 2 peers in hub could not be deleted; the others are gone/);
    expect(text).toMatch(/edge--berlin--berlin-n1: .*403/);
    expect(await mesh.ours()).toEqual(["hub/edge--berlin--berlin-n1"]);
    await mesh.succeed(...DESTROY);
    expect(await mesh.ours()).toEqual([]);
});
