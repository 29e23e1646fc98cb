const LIMIT = 500;

/**
 * Text from outside (a server, a plugin, the system) as it may appear in an error: one line, printable, bounded, and
 * without the given secrets. A server can echo what we sent it, so our own credentials are looked for as well.
 */
export function cleanText(text: string, secrets: readonly string[] = [], limit = LIMIT): string {
    let clean = text;
    // before anything is cut: half of a secret would not be found
    for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "[secret]");
    clean = clean
        .slice(0, limit * 8)
        .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [secret]")
        .replace(/\beyJ[\w-]{8,}\.[\w.-]+/g, "[secret]")
        .replace(/-----BEGIN [^-]*-----[^-]*(-----END [^-]*-----)?/g, "[secret]")
        .replace(/(\w+:\/\/)[^/\s@]+@/g, "$1[secret]@")
        .replace(/\s+/g, " ")
        // Control, bidirectional and invisible characters could forge or hide lines of a log.
        .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, escapeCharacter)
        .trim();
    return clean.length > limit ? `${clean.slice(0, limit)}… (cut)` : clean;
}

const escapeCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
