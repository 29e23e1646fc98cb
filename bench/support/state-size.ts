interface Checkpoint {
    readonly checkpoint: {
        readonly latest: { readonly resources?: readonly { readonly type: string }[] };
    };
}

/** Bytes of the whole checkpoint as the backend stores it, and of the peer sets in it, written the same way. */
export function stateSize(text: string): { readonly whole: number; readonly peerSets: number } {
    const { checkpoint } = JSON.parse(text) as Checkpoint;
    const sets = (checkpoint.latest.resources ?? []).filter(({ type }) => type.endsWith(":PeerSet"));
    // The backend indents what it writes; a part of it is measured indented as deep as it stands there.
    const indent = /\n( +)"checkpoint"/.exec(text)?.[1]?.length ?? 0;
    const depth = 4 * indent;
    const written = sets.map((set) =>
        JSON.stringify(set, undefined, indent).replaceAll("\n", `\n${" ".repeat(depth)}`),
    );
    return {
        whole: Buffer.byteLength(text),
        peerSets: written.reduce((sum, each) => sum + Buffer.byteLength(each), 0),
    };
}
