/** Milliseconds since the epoch; undefined for anything but an HTTP date: `Date.parse` alone takes nearly every text. */
export function httpDate(header: string | undefined): number | undefined {
    const value = header?.trim() ?? "";
    const date = /^[A-Za-z]{3}, /.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(date) ? undefined : date;
}
