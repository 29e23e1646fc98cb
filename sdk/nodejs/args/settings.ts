import type { Unwrap } from "@pulumi/pulumi";
import type { ClusterMeshArgs } from "./cluster-mesh-args";

/** What holds for the whole mesh, once it is known. */
export type Settings = Unwrap<Omit<ClusterMeshArgs, "clusters" | "topology" | "meshName" | "grouped">>;
