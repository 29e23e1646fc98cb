/** 32 bytes in canonical base64: 43 digits, of which the last carries two spare bits that must be zero. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const ZERO_KEY = `${"A".repeat(43)}=`;

/** A WireGuard public key. The zero key is Kilo's "none" and no key at all. */
export function isPublicKey(text: string): boolean {
    return PUBLIC_KEY.test(text) && text !== ZERO_KEY;
}

/** Kilo has set up the node: it has a key that can be used. */
export function isSetUp({ key }: { readonly key?: string }): boolean {
    return key !== undefined && isPublicKey(key);
}
