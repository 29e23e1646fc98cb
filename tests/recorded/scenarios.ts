import { nodeSpecs, publicKey } from "../../tools/clusters";
import type { MeshEntry } from "../e2e/support/project";
import { addStrangers } from "../e2e/support/strangers";
import { argsOf, clusterArgs, meshOf, type World } from "../e2e/support/world";

/** One stack to record: its clusters, and how its mesh comes to the state that is recorded. */
export interface Scenario {
    readonly name: string;
    readonly clusters: readonly string[];
    /** Brings the stack there; returns the program as it was run last. */
    readonly prepare: (world: World, up: Run) => Promise<MeshEntry>;
}

/** Writes the program and runs `up`; throws what was printed when it fails. */
export type Run = (mesh: MeshEntry) => Promise<MeshEntry>;

const putNodes = async ({ clusters }: World, count: number): Promise<void> => {
    for (const cluster of clusters.clusters) await cluster.putNodes(nodeSpecs(cluster, count));
};

const fullMesh: Scenario = {
    name: "full-mesh",
    clusters: ["hub", "berlin", "tokyo"],
    async prepare(world, up) {
        await putNodes(world, 2);
        await addStrangers(world);
        return up(meshOf("edge", world.clusters.clusters));
    },
};

const hubAndSpoke: Scenario = {
    name: "hub-and-spoke",
    clusters: ["hub", "site", "cellar"],
    async prepare(world, up) {
        const [hub, site, cellar] = [world.get("hub"), world.get("site"), world.get("cellar")];
        const [north, south] = ["north", "south"].map((location) => ({ granularity: "location", location }));
        await site.putNode({ name: "site-n1", ...north });
        await site.putNode({ name: "site-n2", leader: true, ...north });
        await site.putNode({ name: "site-n3", ...south });
        await cellar.putNodes(nodeSpecs(cellar, 1, { persistentKeepalive: 25 }));
        const observed = (entries: Record<string, { IP: string; Port: number }>) =>
            hub.putNodes([{ name: "hub-n1", discovered: entries }, { name: "hub-n2" }]);
        const ofSite = { [publicKey("site", "site-n2")]: { IP: "203.0.113.20", Port: 40020 } };
        const ofCellar = { [publicKey("cellar", "cellar-n1")]: { IP: "203.0.113.50", Port: 40050 } };
        await observed({ ...ofSite, ...ofCellar });
        await addStrangers(world);
        const mesh: MeshEntry = {
            name: "edge",
            args: {
                clusters: [
                    clusterArgs(hub),
                    { ...clusterArgs(site), additionalCIDRs: ["192.168.77.0/24"] },
                    { ...clusterArgs(cellar), nat: true },
                ],
                topology: { hubs: ["hub"] },
                requestTimeout: 5,
            },
        };
        await up(mesh);
        // One of the adopted endpoints is now known from the live peer alone.
        await observed(ofCellar);
        return up(mesh);
    },
};

const unreachable: Scenario = {
    name: "unreachable",
    clusters: ["hub", "berlin", "tokyo"],
    async prepare(world, up) {
        await putNodes(world, 2);
        const mesh = meshOf("edge", world.clusters.clusters.map(argsOf));
        await up(mesh);
        await world.get("tokyo").stop();
        await world.get("hub").putNode({ name: "hub-n3" });
        return up(mesh);
    },
};

/** More than 500 peers in one target: they are recorded as texts. */
const FLEET = 510;

const texts: Scenario = {
    name: "texts",
    clusters: ["hub", "fleet"],
    async prepare(world, up) {
        await world.get("hub").putNodes(nodeSpecs(world.get("hub"), 1));
        await world.get("fleet").putNodes(nodeSpecs(world.get("fleet"), FLEET));
        return up(meshOf("edge", world.clusters.clusters));
    },
};

export const SCENARIOS: readonly Scenario[] = [fullMesh, hubAndSpoke, unreachable, texts];
