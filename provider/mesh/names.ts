import { digest } from "../values/digest";
import { CLAIM_LABEL, MANAGED_BY, MANAGED_BY_LABEL, MESH_ID_LABEL, MESH_LABEL, SOURCE_LABEL } from "../values/labels";

const LONGEST_NAME = 253;
const KEPT = 236;
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function isDnsLabel(text: string): boolean {
    return DNS_LABEL.test(text);
}

export function isLabelValue(text: string): boolean {
    return LABEL_VALUE.test(text);
}

/** The name of the peer that stands for a segment: `<mesh>--<cluster>--<segment>`, made fit for Kubernetes. */
export function peerName(mesh: string, cluster: string, segment: string): string {
    const raw = `${mesh}--${cluster}--${segment}`;
    const name = sanitised(raw);
    return name.length <= LONGEST_NAME ? name : withHash(name, raw);
}

/** The name for a segment whose ordinary name is taken by another one: the hash is of what tells the two apart. */
export function distinctPeerName(mesh: string, cluster: string, segment: string, identity: string): string {
    const raw = JSON.stringify([mesh, cluster, identity]);
    return withHash(sanitised(`${mesh}--${cluster}--${segment}`), raw);
}

function withHash(name: string, raw: string): string {
    return `${name.slice(0, KEPT).replace(/[-.]+$/, "")}-${digest(raw)}`;
}

/** What most names look like already. */
const VALID = /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/;

function sanitised(raw: string): string {
    if (VALID.test(raw)) return raw;
    return (
        raw
            .toLowerCase()
            .replace(/[^a-z0-9.-]/gu, "-")
            // a dot must stand between letters or digits; in ordinary names it always does
            .replace(/[-.]{2,}/g, (run) => "-".repeat(run.length))
            .replace(/^[-.]+|[-.]+$/g, "")
    );
}

/** The labels of every peer from one source. One object for all of them: a mesh has many peers. */
export function peerLabels(
    mesh: string,
    source: string,
    claim: string | undefined,
    meshId: string | undefined,
): Readonly<Record<string, string>> {
    return {
        [MESH_LABEL]: mesh,
        [SOURCE_LABEL]: source,
        ...(claim === undefined ? {} : { [CLAIM_LABEL]: claim }),
        ...(meshId === undefined || meshId === "" ? {} : { [MESH_ID_LABEL]: meshId }),
        [MANAGED_BY_LABEL]: MANAGED_BY,
    };
}
