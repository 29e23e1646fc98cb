import { UsageError } from "../failure";

export interface ListenAddress {
    /** Absent: all interfaces. */
    readonly host?: string;
    readonly port: number;
}

const ADDRESS = /^(?:\[(?<ipv6>[0-9a-fA-F:.]+)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/;

/** `:9464` on all interfaces, `127.0.0.1:9464` or `[::1]:9464` on one. */
export function readListenAddress(text: string): ListenAddress {
    const { ipv6, name, port } = ADDRESS.exec(text)?.groups ?? {};
    if (port === undefined || Number(port) > 65_535) {
        throw new UsageError(
            `--listen cannot be ${JSON.stringify(text)}`,
            "Write <address>:<port>, for example 127.0.0.1:9464, or :9464 for all interfaces",
        );
    }
    const host = ipv6 ?? name ?? "";
    return { ...(host === "" ? {} : { host }), port: Number(port) };
}
