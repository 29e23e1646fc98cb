interface Checkpoint {
    readonly checkpoint: {
        readonly latest: { readonly resources?: readonly { readonly type: string }[] };
    };
}

export interface StateSize {
    /** Bytes of the whole checkpoint as the backend stores it. */
    readonly whole: number;
    /** Of the peer sets in it, written the same way. */
    readonly peerSets: number;
    /** Of everything in it that is encrypted. */
    readonly secrets: number;
}

export function stateSize(text: string): StateSize {
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
        secrets: [...text.matchAll(/"ciphertext": ?"([^"]*)"/g)].reduce((sum, [, each]) => sum + each!.length, 0),
    };
}
