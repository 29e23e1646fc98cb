import { type LocalCluster, publicKey } from "../../../tools/clusters";

/** Gives both nodes of the cluster new keys, so that each of their peers has to change; returns the keys. */
export async function renewKeys(cluster: LocalCluster, round: string): Promise<string[]> {
    const keys: string[] = [];
    for (const n of [1, 2]) {
        const key = publicKey(cluster.name, `${round}-${n}`);
        await cluster.putNode({ name: `${cluster.name}-n${n}`, index: n, key });
        keys.push(key);
    }
    return keys;
}
