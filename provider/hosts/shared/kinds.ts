import { members, peerSets } from "../../resources/group";
import type { Props, ResourceKind } from "../../resources/host";
import { member } from "../../resources/member";
import { meshRecord } from "../../resources/mesh-record";
import { peerSet } from "../../resources/peer-set";
import { SCHEMA_VERSIONS } from "../../state/schema-version";

const KINDS: Readonly<Record<keyof typeof SCHEMA_VERSIONS, ResourceKind>> = {
    mesh: meshRecord,
    member,
    peers: peerSet,
    members,
    peerSets,
};

const isKind = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);

/** The kind that `resource` names, if this version can read what was recorded. */
export function kindOf(props: Props): ResourceKind {
    const { schemaVersion: version } = props;
    const name = String(props.resource);
    const newest = isKind(name) ? SCHEMA_VERSIONS[name] : 1;
    if (typeof version === "number" && version > newest) {
        throw new Error(
            `this state was written by a newer pulumi-kilo-clustermesh (schema ${version}, this one reads up to ${newest}). ` +
                "Upgrade pulumi-kilo-clustermesh in this project, or its plugin, then run again",
        );
    }
    if (!isKind(name))
        throw new Error(
            `pulumi-kilo-clustermesh does not know the resource ${name}. Restore the state from its history: no version wrote this`,
        );
    return KINDS[name];
}
