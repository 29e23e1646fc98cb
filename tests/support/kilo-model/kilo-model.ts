import { DataPlane } from "./data-plane";
import type { ClusterObjects } from "./objects";
import type { Options } from "./options";

/** What can be asked about one moment. */
export type KiloModel = Pick<DataPlane, "reach" | "wireguard" | "routes" | "notReady" | "leaders">;

/** What agents that start now make of the objects: nothing that came before counts. */
export const kiloModel = (clusters: Readonly<Record<string, ClusterObjects>>, options?: Options): KiloModel =>
    new DataPlane(clusters, options);
