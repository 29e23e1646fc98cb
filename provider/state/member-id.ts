import { sha256 } from "../values/digest";

/** `<mesh>/<cluster>/<claim>`: the claim is a part of the id, because previews of updates know it. */
export const memberId = (mesh: unknown, cluster: unknown, claim: string): string => `${mesh}/${cluster}/${claim}`;

/** Ids of 0.1.0 have no claim. */
export function claimOfId(id: string): string | undefined {
    return id.split("/")[2] || undefined;
}

/**
 * The claim of a member that is one of a group: made of the group's random id, so that previews know it too, and nothing
 * need be recorded for each.
 */
export const claimInGroup = (groupId: string, cluster: string): string =>
    sha256(`${groupId}/${cluster}`, "hex").slice(0, 20);
