/** Whether a text is a kubeconfig in base64, as Secrets and CI variables have it: in one line or wrapped. */
export function looksEncoded(text: string): boolean {
    const packed = text.replace(/\s+/g, "");
    if (!/^[\w+/-]{40,}={0,2}$/.test(packed)) return false;
    return /\b(apiVersion|clusters|current-context)\b/.test(Buffer.from(packed, "base64").toString("latin1"));
}

export const DECODE = 'Decode it first: `base64 -d` in a shell, `Buffer.from(text, "base64").toString()` in a program';
