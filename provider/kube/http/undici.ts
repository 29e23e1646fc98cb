import type { Dispatcher, Pool as PoolClass, ProxyAgent } from "undici";

/**
 * The parts of undici that we use, by their files: its index loads `fetch`, web sockets, caches and mocks besides, 110 files
 * for our 22. It declares no `exports`, and package.json pins its version.
 */
export const Pool: typeof PoolClass = require("undici/lib/dispatcher/pool");

/** Few need a proxy, so it is loaded when one is there. */
export function loadProxyAgent(): typeof ProxyAgent {
    const { prototype }: { readonly prototype: Partial<Dispatcher> } = require("undici/lib/dispatcher/dispatcher");
    // the index gives it to dispatchers, and a tunnel is opened with it
    prototype.connect ??= require("undici/lib/api/api-connect");
    return require("undici/lib/dispatcher/proxy-agent");
}
