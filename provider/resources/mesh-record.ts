import type { ResourceKind } from "./host";
import { pick } from "./props";

const ECHOED = ["resource", "schemaVersion", "mesh", "grouped"] as const;

/** Members of another form are other resources: the old ones would be deleted, and their peers with them. */
const FORM_IS_KEPT =
    "the form in which a mesh is recorded is chosen when it is made and cannot change: set grouped back to what it was";

/**
 * Holds the random id of the mesh for the life of the component: as the id of the resource, which previews know too
 * (docs/pulumi.md: random values break saved plans). It contacts nobody.
 */
export const meshRecord: ResourceKind = {
    check: (_host, olds, news) => {
        const isChanged = olds.mesh !== undefined && (olds.grouped === true) !== (news.grouped === true);
        return { inputs: news, failures: isChanged ? [{ property: "grouped", reason: FORM_IS_KEPT }] : [] };
    },
    diff: () => ({ changes: false }),
    create: async (host, inputs) => ({ id: host.newId(), outs: pick(inputs, ECHOED) }),
    read: async (_host, id, outs) => ({ id, props: outs }),
    update: async (_host, _id, _olds, news) => ({ outs: pick(news, ECHOED) }),
    delete: async () => undefined,
};
