import * as crypto from "node:crypto";

/** Of every node's uid and every peer's text: in one call, where Node.js has it (20.12), it takes less than half. */
export const sha256 = (text: string, encoding: "hex" | "base64url"): string =>
    crypto.hash === undefined
        ? crypto.createHash("sha256").update(text).digest(encoding)
        : crypto.hash("sha256", text, encoding);

/** The first 16 hex digits of SHA-256. */
export function digest(text: string): string {
    return sha256(text, "hex").slice(0, 16);
}
