import { createHash } from "node:crypto";

/** The first 16 hex digits of SHA-256. */
export function digest(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
