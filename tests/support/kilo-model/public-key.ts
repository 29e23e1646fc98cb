const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Base64 of 32 bytes. */
export const isKey = (text: string): boolean => KEY.test(text);

export const isZeroKey = (text: string): boolean => text === `${"A".repeat(43)}=`;
