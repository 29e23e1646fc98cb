/** A valid WireGuard public key that is different for each seed. */
export function key(seed: number): string {
    const bytes = Buffer.alloc(32, 1);
    bytes.writeUInt32BE(seed, 4);
    return bytes.toString("base64");
}
