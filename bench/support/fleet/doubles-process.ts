import { type ApiDouble, type DoubleNode, startApiDouble } from "../../../tests/support/api-double";
import { TestCa } from "../../../tests/support/certificates";
import { type Heartbeats, startHeartbeats } from "./heartbeats";

/** What a cluster was asked since the last time somebody wanted to know. */
export interface Calls {
    lists: number;
    gets: number;
    writes: number;
}

export type Order =
    | { readonly act: "start"; readonly names: readonly string[]; readonly delayMs: number }
    | { readonly act: "nodes"; readonly name: string; readonly nodes: readonly DoubleNode[] }
    /** How often each node checks in from now on; 0: never. */
    | { readonly act: "beat"; readonly seconds: number }
    | { readonly act: "silence"; readonly name: string; readonly on: boolean }
    | { readonly act: "calls" }
    | { readonly act: "peers" }
    | { readonly act: "clear" };

/** By the names of the clusters. */
export interface Answers {
    readonly start: Readonly<
        Record<
            string,
            { readonly url: string; readonly kubeconfig: string; readonly adminKubeconfig: string; readonly ca: string }
        >
    >;
    readonly nodes: null;
    /** The heartbeats before. */
    readonly beat: number;
    readonly silence: null;
    readonly calls: { readonly clusters: Readonly<Record<string, Calls>>; readonly cpuMs: number };
    readonly peers: Readonly<Record<string, readonly unknown[]>>;
    readonly clear: null;
}

/** API doubles with TLS in this process, so that what they compute is not counted for who measures. */
const doubles = new Map<string, ApiDouble>();
const calls = new Map<string, Calls>();
let beating: Heartbeats | undefined;

async function obey(order: Order): Promise<Answers[Order["act"]]> {
    switch (order.act) {
        case "start":
            return start(order.names, order.delayMs);
        case "nodes":
            for (const node of order.nodes) double(order.name).putNode(node);
            return null;
        case "beat": {
            const count = beating?.count ?? 0;
            beating?.stop();
            beating = order.seconds > 0 ? startHeartbeats([...doubles.values()], order.seconds) : undefined;
            return count;
        }
        case "silence":
            double(order.name).silence(order.on);
            return null;
        case "calls": {
            const found = Object.fromEntries(calls);
            for (const name of doubles.keys()) calls.set(name, { lists: 0, gets: 0, writes: 0 });
            const { user, system } = process.cpuUsage();
            return { clusters: found, cpuMs: (user + system) / 1000 };
        }
        case "peers":
            return Object.fromEntries([...doubles].map(([name, { peers }]) => [name, peers.all()]));
        case "clear":
            for (const { peers } of doubles.values())
                for (const { metadata } of peers.all()) peers.delete(metadata.name);
            return null;
    }
}

async function start(names: readonly string[], delayMs: number): Promise<Answers["start"]> {
    const authority = new TestCa("fleet");
    const identity = authority.issue({ commonName: "double", hosts: ["127.0.0.1"] });
    for (const name of names) {
        const started = await startApiDouble({ tls: { ...identity, ca: authority.cert } });
        started.setDelay(delayMs);
        const tally = (): Calls => calls.get(name)!;
        calls.set(name, { lists: 0, gets: 0, writes: 0 });
        started.onRequest((method, path) => {
            if (method !== "GET") tally().writes++;
            else if (/\/(nodes|peers)(\?|$)/.test(path)) tally().lists++;
            else tally().gets++;
        });
        doubles.set(name, started);
    }
    return Object.fromEntries(
        [...doubles].map(([name, { url, kubeconfig, adminKubeconfig }]) => [
            name,
            { url, kubeconfig, adminKubeconfig, ca: authority.cert },
        ]),
    );
}

function double(name: string): ApiDouble {
    const found = doubles.get(name);
    if (found === undefined) throw new Error(`there is no double ${name}`);
    return found;
}

process.on("message", ({ id, order }: { id: number; order: Order }) => {
    obey(order).then(
        (value) => process.send?.({ id, value }),
        (error: unknown) => process.send?.({ id, error: String(error) }),
    );
});
process.on("disconnect", () => process.exit());
