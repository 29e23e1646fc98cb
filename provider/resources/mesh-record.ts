import type { ResourceKind } from "./host";
import { pick } from "./props";

const ECHOED = ["resource", "schemaVersion", "mesh"] as const;

/**
 * Holds the random id of the mesh for the life of the component: as the id of the resource, which previews know too
 * (docs/pulumi.md: random values break saved plans). It contacts nobody.
 */
export const meshRecord: ResourceKind = {
    check: (_host, _olds, news) => ({ inputs: news, failures: [] }),
    diff: () => ({ changes: false }),
    create: async (host, inputs) => ({ id: host.newId(), outs: pick(inputs, ECHOED) }),
    read: async (_host, id, outs) => ({ id, props: outs }),
    update: async (_host, _id, _olds, news) => ({ outs: pick(news, ECHOED) }),
    delete: async () => undefined,
};
