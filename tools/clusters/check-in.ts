import type { ClusterHandle } from "./cluster-handle";

/** How often Kilo renews `last-seen`. */
export const CHECK_IN_SECONDS = 30;

interface AnnotatedNode {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** What Kilo's agents do every 30 s: nodes that nobody has seen for a minute would be reported as stale. */
export async function checkIn(clusters: readonly Pick<ClusterHandle, "request" | "patchNodeAnnotations">[]) {
    const now = { "kilo.squat.ai/last-seen": String(Math.floor(Date.now() / 1000)) };
    await Promise.all(
        clusters.map(async (cluster) => {
            const { items } = await cluster.request<{ items: AnnotatedNode[] }>("GET", "/api/v1/nodes");
            // A node without a key has no agent that could check in.
            const withAgent = items.filter(({ metadata }) => metadata.annotations?.["kilo.squat.ai/key"] !== undefined);
            await Promise.all(withAgent.map(({ metadata }) => cluster.patchNodeAnnotations(metadata.name, now)));
        }),
    );
}
