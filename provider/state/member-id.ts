/** `<mesh>/<cluster>/<claim>`: the claim is a part of the id, because previews of updates know it. */
export const memberId = (mesh: unknown, cluster: unknown, claim: string): string => `${mesh}/${cluster}/${claim}`;

/** Ids of 0.1.0 have no claim. */
export function claimOfId(id: string): string | undefined {
    return id.split("/")[2] || undefined;
}
