import { decodeLedger } from "../../../provider/state/ledger";
import { isRecord } from "../../../provider/values/untrusted";
import { DESTROY, type Interruptible, PEERS, UP } from "./meshed-through-proxies";

/** The next up has nothing to do. */
export async function expectIdle(mesh: Interruptible): Promise<void> {
    expect((await mesh.succeed(...UP)).text).toMatch(/Resources:\s+7 unchanged/);
}

/** The next up comes to the mesh of two clusters of two nodes, and the one after that has nothing to do. */
export async function expectConverged(mesh: Interruptible): Promise<void> {
    await mesh.succeed(...UP);
    expect(await mesh.ours()).toEqual(PEERS);
    await expectIdle(mesh);
}

/** Kubeconfigs in groups are compressed, so that no credential would be found in their text: they must be encrypted. */
function expectEncrypted(value: unknown): void {
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value)) {
        if (key === "kubeconfig" || key === "kubeconfigs") expect(inner).toHaveProperty("ciphertext");
        else expectEncrypted(inner);
    }
}

/** No credential of a kubeconfig is in the state as it is. */
export async function expectNoPlainCredentials({ project, proxies }: Interruptible): Promise<void> {
    const state = await project.stateFile();
    for (const { kubeconfig } of proxies.values()) {
        const secrets = kubeconfig.match(/[A-Za-z0-9+/=_.-]{40,}/g) ?? [];
        expect(secrets.length).toBeGreaterThan(0);
        for (const secret of secrets) expect(state).not.toContain(secret);
    }
    for (const { inputs, outputs } of await project.resources())
        for (const each of [inputs, outputs]) expectEncrypted(each);
}

/** Destroy leaves nothing of ours, neither in a cluster nor in the state. */
export async function expectGone(mesh: Interruptible): Promise<void> {
    await mesh.succeed(...DESTROY);
    expect(await mesh.ours()).toEqual([]);
    expect(await mesh.project.resources()).toEqual([]);
}

/** The ledgers in the state name exactly the peers that are in the clusters; returns their names. */
export async function expectRecorded(mesh: Interruptible): Promise<readonly string[]> {
    const recorded = (await mesh.project.resources()).flatMap(({ outputs }) => [
        ...decodeLedger(outputs?.ledger).keys(),
    ]);
    const written = (await mesh.ours()).map((name) => name.slice(name.indexOf("/") + 1));
    expect(recorded.sort()).toEqual(written.sort());
    return recorded;
}
