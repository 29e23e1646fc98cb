import type { ContractCluster } from "./api-contract";
import { openRawApi, type RawApi, type RawEvent, type RawWatch } from "./raw-api";

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const NODES = "/api/v1/nodes";

interface Contracted {
    readonly api: RawApi;
    readonly cluster: ContractCluster;
    created(name: string, more?: { readonly labels?: Record<string, string> }): Promise<string>;
}

/** Promises of watches, for the double and for a real server alike. */
export function watchContract(contracted: () => Contracted): void {
    const open: RawWatch[] = [];
    afterEach(() => {
        for (const watch of open.splice(0)) watch.close();
    });

    const watched = async (path: string, query: Record<string, string> = {}, api = contracted().api) => {
        const watch = await api.watch(`${path}?${new URLSearchParams({ watch: "1", ...query })}`);
        open.push(watch);
        return watch;
    };
    const versionNow = async (path: string): Promise<string> =>
        (await contracted().api.request("GET", `${path}?limit=1`)).json.metadata?.resourceVersion ?? "";
    const patch = (name: string, body: unknown) => contracted().api.request("PATCH", `${PEERS}/${name}`, body);
    const brief = ({ type, object }: RawEvent): string => `${type} ${object.kind} ${object.metadata?.name}`;
    const take = async (watch: RawWatch, count: number): Promise<RawEvent[]> => {
        const events: RawEvent[] = [];
        for (let at = 0; at < count; at++) {
            const event = await watch.next();
            if (event === undefined) break;
            events.push(event);
        }
        return events;
    };

    describe("watch", () => {
        test("from the version of a list tells everything after it once, each with the version it got", async () => {
            await contracted().created("watch-before");
            const version = await versionNow(PEERS);
            await contracted().created("watch-1");
            const watch = await watched(PEERS, { resourceVersion: version });
            await patch("watch-1", { metadata: { annotations: { a: "b" } } });
            await contracted().api.request("DELETE", `${PEERS}/watch-1`);
            const events = await take(watch, 3);
            expect(events.map(brief)).toEqual(["ADDED Peer watch-1", "MODIFIED Peer watch-1", "DELETED Peer watch-1"]);
            const versions = events.map(({ object }) => Number(object.metadata?.resourceVersion));
            expect(versions).toEqual([...versions].sort((a, b) => a - b));
            expect(new Set(versions).size).toBe(3);
            expect(versions[0]).toBeGreaterThan(Number(version));
        });

        test("goes on from the version of any event", async () => {
            const first = await watched(PEERS, { resourceVersion: await versionNow(PEERS) });
            await contracted().created("watch-2");
            const [added] = await take(first, 1);
            await contracted().created("watch-3");
            const version = added?.object.metadata?.resourceVersion ?? "";
            const events = await take(await watched(PEERS, { resourceVersion: version }), 1);
            expect(events.map(brief)).toEqual(["ADDED Peer watch-3"]);
        });

        test("without a version begins with what is there, whole", async () => {
            await contracted().cluster.putNodes([{ name: "watch-n1", labels: { watch: "a" } }]);
            const watch = await watched(NODES, { labelSelector: "watch" });
            const [event] = await take(watch, 1);
            expect(brief(event!)).toBe("ADDED Node watch-n1");
            expect(event?.object.metadata).toMatchObject({ labels: { watch: "a" } });
            expect(event?.object.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
        });

        test("by label sees an object come when it gets the label, and go when it loses it", async () => {
            const watch = await watched(PEERS, {
                resourceVersion: await versionNow(PEERS),
                labelSelector: "watch=me",
            });
            await contracted().created("watch-4");
            await patch("watch-4", { metadata: { labels: { watch: "me" } } });
            await patch("watch-4", { metadata: { annotations: { x: "y" } } });
            await patch("watch-4", { metadata: { labels: { watch: null } } });
            expect((await take(watch, 3)).map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
        });

        test("from a version that is too old is one event with status 410, then the end", async () => {
            const watch = await watched(PEERS, { resourceVersion: "1" });
            const [event] = await take(watch, 1);
            const { code, reason } = event?.object ?? {};
            expect([watch.status, event?.type, code, reason]).toEqual([200, "ERROR", 410, "Expired"]);
            expect(await watch.next()).toBeUndefined();
        });

        test("ends after the time that was asked for", async () => {
            const query = { resourceVersion: await versionNow(PEERS), timeoutSeconds: "1" };
            expect(await take(await watched(PEERS, query), 1)).toEqual([]);
        });

        test("is open to the least account", async () => {
            const member = await openRawApi(contracted().cluster.kubeconfig);
            const statuses = [(await watched(PEERS, {}, member)).status, (await watched(NODES, {}, member)).status];
            for (const watch of open.splice(0)) watch.close();
            await member.close();
            expect(statuses).toEqual([200, 200]);
        });
    });
}
