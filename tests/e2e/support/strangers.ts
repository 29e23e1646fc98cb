import { publicKey } from "../../../tools/clusters";
import type { World } from "./world";

const STRANGER = "road-warrior";

/** Peers of ours, or those of others, to the last byte. */
export async function bytesOf(whose: "ours" | "strangers", { clusters }: World): Promise<string> {
    const lists = await Promise.all(clusters.clusters.map((cluster) => cluster.listPeers()));
    const wanted = lists.flat().filter(({ metadata }) => (metadata.name === STRANGER) === (whose === "strangers"));
    return JSON.stringify(wanted);
}

/** Puts a peer that is not ours into every cluster; what it returns expects that nobody has touched them. */
export async function addStrangers(world: World): Promise<() => Promise<void>> {
    for (const cluster of world.clusters.clusters) {
        const spec = { publicKey: publicKey("somebody", cluster.name), allowedIPs: ["10.250.0.1/32"] };
        await cluster.createPeer({ name: STRANGER, spec });
    }
    const before = await bytesOf("strangers", world);
    return async () => expect(await bytesOf("strangers", world)).toBe(before);
}
