import type { Props, ResourceKind } from "../../resources/host";
import { member } from "../../resources/member";
import { meshRecord } from "../../resources/mesh-record";
import { peerSet } from "../../resources/peer-set";

const KINDS: Readonly<Record<string, ResourceKind>> = { mesh: meshRecord, member, peers: peerSet };

const SCHEMA_VERSION = 1;

/** The kind that `resource` names, if this version can read what was recorded. */
export function kindOf(props: Props): ResourceKind {
    const version = props.schemaVersion;
    if (typeof version === "number" && version > SCHEMA_VERSION) {
        throw new Error(
            `this state was written by a newer pulumi-kilo-clustermesh (schema ${version}, this one reads up to ${SCHEMA_VERSION}): ` +
                "upgrade the package in this project",
        );
    }
    const kind = KINDS[String(props.resource)];
    if (kind === undefined)
        throw new Error(`pulumi-kilo-clustermesh does not know the resource ${String(props.resource)}`);
    return kind;
}
