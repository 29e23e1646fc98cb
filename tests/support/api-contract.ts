import { openRawApi, type RawAnswer, type RawApi } from "./raw-api";
import { watchContract } from "./watch-contract";

/** A cluster to hold to the contract: the double, or a real API server. */
export interface ContractCluster {
    readonly adminKubeconfig: string;
    /** An account with the rights of docs/rbac.yaml. */
    readonly kubeconfig: string;
    putNodes(nodes: readonly { name: string; labels: Record<string, string> }[]): Promise<void>;
    close(): Promise<void>;
}

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const OTHER_UID = "9d4c6ee7-3bb1-4d4f-8a77-2f6fb0bd3f18";
const KEY = Buffer.alloc(32, 7).toString("base64");
const STRICT = "?fieldValidation=Strict";
const DRY_RUN = "?dryRun=All";

interface Parts {
    readonly labels?: Record<string, string>;
    readonly finalizers?: readonly string[];
    readonly spec?: Record<string, unknown>;
}

const peer = (name: string, { spec, ...metadata }: Parts = {}) => ({
    apiVersion: "kilo.squat.ai/v1alpha1",
    kind: "Peer",
    metadata: { name, ...metadata },
    spec: { allowedIPs: ["10.1.0.0/24"], publicKey: KEY, ...spec },
});

/** Promises of the Kubernetes API that our code relies on. What holds for a real server must hold for the double. */
export function apiContract(start: () => Promise<ContractCluster>): void {
    let cluster: ContractCluster;
    let api: RawApi;

    beforeAll(async () => {
        cluster = await start();
        api = await openRawApi(cluster.adminKubeconfig);
    }, 600_000);
    afterAll(async () => {
        await api?.close();
        await cluster?.close();
    }, 60_000);

    const create = (name: string, more: Parts = {}): Promise<RawAnswer> => api.request("POST", PEERS, peer(name, more));
    const created = async (name: string, more: Parts = {}): Promise<string> => {
        const { status, json } = await create(name, more);
        expect(status).toBe(201);
        return json.metadata?.uid ?? "";
    };
    const get = (name: string): Promise<RawAnswer> => api.request("GET", `${PEERS}/${name}`);
    const fields = ({ json }: RawAnswer): string[] => [
        ...new Set((json.details?.causes ?? []).map((cause) => cause.field)),
    ];

    describe("create", () => {
        test("gives uid, resourceVersion and generation 1, and keeps labels and spec", async () => {
            const spec = {
                endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 51820 },
                persistentKeepalive: 25,
                presharedKey: "psk",
            };
            const { status, json } = await create("create-1", { labels: { a: "b" }, spec });
            expect(status).toBe(201);
            expect(json.metadata).toMatchObject({ name: "create-1", generation: 1, labels: { a: "b" } });
            expect(json.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
            expect(json.metadata?.resourceVersion).toMatch(/^\d+$/);
            expect(json.spec).toEqual({ allowedIPs: ["10.1.0.0/24"], publicKey: KEY, ...spec });
        });

        test("of a name that exists is 409 AlreadyExists and changes nothing", async () => {
            await created("create-2");
            const before = (await get("create-2")).text;
            const { status, json } = await create("create-2", { labels: { other: "x" } });
            expect([status, json.reason]).toEqual([409, "AlreadyExists"]);
            expect((await get("create-2")).text).toBe(before);
        });

        test.each([
            ["a missing field", { publicKey: KEY }, ["spec.allowedIPs"]],
            ["a wrong type", { allowedIPs: [], publicKey: 1 }, ["spec.publicKey"]],
            ["a null list", { allowedIPs: null, publicKey: KEY }, ["spec.allowedIPs"]],
            ["a fraction as port", { ...peer("x").spec, endpoint: { dnsOrIP: {}, port: 1.5 } }, ["spec.endpoint.port"]],
            ["an endpoint without port", { ...peer("x").spec, endpoint: { dnsOrIP: {} } }, ["spec.endpoint.port"]],
            ["a text as keepalive", { ...peer("x").spec, persistentKeepalive: "5" }, ["spec.persistentKeepalive"]],
        ])("with %s is 422 and names the field", async (_, spec, expected) => {
            const { status, ...answer } = await api.request("POST", PEERS, { ...peer("create-3"), spec });
            expect(status).toBe(422);
            expect(fields({ status, ...answer })).toEqual(expected);
            expect((await get("create-3")).status).toBe(404);
        });

        test("with a name that is not a DNS subdomain is 422", async () => {
            const answer = await create("Upper_Case");
            expect([answer.status, fields(answer)]).toEqual([422, ["metadata.name"]]);
        });

        test("drops a field the CRD does not know, and refuses it with 400 under strict validation", async () => {
            const body = peer("create-4", { spec: { surprise: 1 } });
            expect((await api.request("POST", PEERS + STRICT, body)).status).toBe(400);
            const { status, json } = await api.request("POST", PEERS, body);
            expect([status, json.spec]).toEqual([201, peer("create-4").spec]);
        });

        test("accepts an empty list of networks", async () => {
            expect((await create("create-5", { spec: { allowedIPs: [] } })).status).toBe(201);
        });
    });

    describe("create with dryRun=All", () => {
        const attempt = (name: string, more: Parts = {}): Promise<RawAnswer> =>
            api.request("POST", PEERS + DRY_RUN, peer(name, more));

        test("is answered as a create, and writes nothing", async () => {
            const { status, json } = await attempt("dry-1", { labels: { a: "b" } });
            expect([status, json.metadata?.name, json.metadata?.labels]).toEqual([201, "dry-1", { a: "b" }]);
            expect((await get("dry-1")).status).toBe(404);
        });

        test("of a name that exists is 409 AlreadyExists", async () => {
            await created("dry-2");
            const before = (await get("dry-2")).text;
            const { status, json } = await attempt("dry-2");
            expect([status, json.reason]).toEqual([409, "AlreadyExists"]);
            expect((await get("dry-2")).text).toBe(before);
        });

        test("of what is invalid is 422, before anything is said of a name that exists", async () => {
            await created("dry-3");
            for (const name of ["dry-3", "dry-none"]) {
                const answer = await attempt(name, { spec: { publicKey: 1 } });
                expect([answer.status, fields(answer)]).toEqual([422, ["spec.publicKey"]]);
            }
        });
    });

    describe("patch", () => {
        const patch = (name: string, body: unknown): Promise<RawAnswer> =>
            api.request("PATCH", `${PEERS}/${name}`, body);

        test("merges, removes what is null, replaces lists, and counts generations of the spec only", async () => {
            const spec = { endpoint: { dnsOrIP: { dns: "a.example" }, port: 1 }, persistentKeepalive: 5 };
            const uid = await created("patch-1", { labels: { a: "1", b: "2" }, spec });
            const first = await patch("patch-1", {
                metadata: { uid, labels: { a: null, c: "3" } },
                spec: {
                    allowedIPs: ["10.2.0.0/24"],
                    persistentKeepalive: null,
                    endpoint: { dnsOrIP: { dns: null, ip: "192.0.2.1" } },
                },
            });
            expect(first.status).toBe(200);
            expect(first.json.metadata).toMatchObject({ uid, generation: 2, labels: { b: "2", c: "3" } });
            expect(first.json.spec).toEqual({
                allowedIPs: ["10.2.0.0/24"],
                publicKey: KEY,
                endpoint: { dnsOrIP: { ip: "192.0.2.1" }, port: 1 },
            });
            const second = await patch("patch-1", { metadata: { uid, annotations: { x: "y" } } });
            expect(second.json.metadata).toMatchObject({ generation: 2, annotations: { x: "y" } });
            const bare = await patch("patch-1", { metadata: { uid, labels: { b: null, c: null } } });
            expect(bare.json.metadata?.labels).toBeUndefined();
        });

        test("that changes nothing keeps the resourceVersion", async () => {
            const uid = await created("patch-2", { labels: { a: "1" } });
            const before = (await get("patch-2")).json.metadata?.resourceVersion;
            const { status, json } = await patch("patch-2", { metadata: { uid, labels: { a: "1" } } });
            expect([status, json.metadata?.resourceVersion]).toEqual([200, before]);
        });

        test("with the uid of another object is 422 on metadata.uid, and nothing changes", async () => {
            await created("patch-3");
            const before = (await get("patch-3")).text;
            const answer = await patch("patch-3", { metadata: { uid: OTHER_UID }, spec: { persistentKeepalive: 9 } });
            expect([answer.status, answer.json.reason, fields(answer)]).toEqual([422, "Invalid", ["metadata.uid"]]);
            expect((await get("patch-3")).text).toBe(before);
        });

        test("with an empty uid hits whatever object has the name", async () => {
            await created("patch-4");
            const { status, json } = await patch("patch-4", {
                metadata: { uid: "" },
                spec: { persistentKeepalive: 9 },
            });
            expect([status, json.spec?.persistentKeepalive]).toEqual([200, 9]);
        });

        test("with an old resourceVersion is 409 Conflict", async () => {
            await created("patch-5");
            const { status, json } = await patch("patch-5", { metadata: { resourceVersion: "1" }, spec: {} });
            expect([status, json.reason]).toEqual([409, "Conflict"]);
        });

        test("that breaks the schema is 422 and names the field", async () => {
            await created("patch-6");
            const wrongType = await patch("patch-6", { spec: { persistentKeepalive: "x" } });
            expect([wrongType.status, fields(wrongType)]).toEqual([422, ["spec.persistentKeepalive"]]);
            const removed = await patch("patch-6", { spec: { allowedIPs: null } });
            expect([removed.status, fields(removed)]).toEqual([422, ["spec.allowedIPs"]]);
        });

        test("of an object that is not there is 404 and names its kind", async () => {
            const { status, json } = await patch("patch-none", { spec: {} });
            expect([status, json.reason, json.details?.kind]).toEqual([404, "NotFound", "peers"]);
        });
    });

    describe("delete", () => {
        const remove = (name: string, uid?: string): Promise<RawAnswer> =>
            api.request("DELETE", `${PEERS}/${name}`, {
                apiVersion: "v1",
                kind: "DeleteOptions",
                ...(uid === undefined ? {} : { preconditions: { uid } }),
            });

        test("with the right uid removes the object and tells which it was", async () => {
            const uid = await created("delete-1");
            const { status, json } = await remove("delete-1", uid);
            expect([status, json.details?.uid]).toEqual([200, uid]);
            expect((await get("delete-1")).status).toBe(404);
        });

        test("with another uid is 409 Conflict and leaves the object", async () => {
            await created("delete-2");
            const before = (await get("delete-2")).text;
            const { status, json } = await remove("delete-2", OTHER_UID);
            expect([status, json.reason]).toEqual([409, "Conflict"]);
            expect((await get("delete-2")).text).toBe(before);
        });

        test("of an object that is not there is 404", async () => {
            const { status, json } = await remove("delete-none", OTHER_UID);
            expect([status, json.reason, json.details?.kind]).toEqual([404, "NotFound", "peers"]);
        });

        test("of an object with a finalizer answers with the object, which stays until the finalizer is gone", async () => {
            const uid = await created("delete-4", { finalizers: ["example.com/hold"] });
            const { status, json } = await remove("delete-4", uid);
            expect([status, json.kind, json.metadata?.uid]).toEqual([200, "Peer", uid]);
            expect(json.metadata?.deletionTimestamp).toMatch(/^\d{4}-/);
            const waiting = await get("delete-4");
            expect([waiting.status, waiting.json.metadata?.finalizers]).toEqual([200, ["example.com/hold"]]);
            expect((await remove("delete-4", uid)).json.metadata?.deletionTimestamp).toBe(
                waiting.json.metadata?.deletionTimestamp,
            );
            expect((await create("delete-4")).json.reason).toBe("AlreadyExists");
            const freed = await api.request("PATCH", `${PEERS}/delete-4`, { metadata: { uid, finalizers: null } });
            expect(freed.status).toBe(200);
            expect((await get("delete-4")).status).toBe(404);
        });

        test("and create again gives another uid", async () => {
            const uid = await created("delete-3");
            await remove("delete-3", uid);
            expect(await created("delete-3")).not.toBe(uid);
        });
    });

    describe("list", () => {
        const labels = { list: "me" };
        const names = Array.from({ length: 7 }, (_, at) => `list-${at}`);
        const list = (query: string): Promise<RawAnswer> => api.request("GET", `${PEERS}?${query}`);
        const namesOf = ({ json }: RawAnswer): (string | undefined)[] =>
            (json.items ?? []).map((item) => item.metadata?.name);

        beforeAll(async () => {
            for (const name of [...names].reverse()) await created(name, { labels });
        });

        test("comes in order of names, and in pages that continue", async () => {
            const first = await list("labelSelector=list%3Dme&limit=3");
            expect(first.json.kind).toBe("PeerList");
            const token = encodeURIComponent(first.json.metadata?.continue ?? "");
            const second = await list(`labelSelector=list%3Dme&limit=100&continue=${token}`);
            expect([...namesOf(first), ...namesOf(second)]).toEqual(names);
            expect(second.json.metadata?.continue ?? "").toBe("");
        });

        test("shows in later pages what was there at the first", async () => {
            const first = await list("labelSelector=list%3Dme&limit=3");
            await created("list-late", { labels });
            await api.request("DELETE", `${PEERS}/list-6`);
            const token = encodeURIComponent(first.json.metadata?.continue ?? "");
            const second = await list(`labelSelector=list%3Dme&limit=100&continue=${token}`);
            await api.request("DELETE", `${PEERS}/list-late`);
            await created("list-6", { labels });
            expect(namesOf(second)).toEqual(names.slice(3));
        });

        test("by label gives exactly those that have it", async () => {
            expect(namesOf(await list("labelSelector=list%3Dme%2Clist%21%3Dyou"))).toEqual(names);
            expect(namesOf(await list("labelSelector=list%3Dyou"))).toEqual([]);
            expect(namesOf(await list("labelSelector=list"))).toEqual(names);
        });

        test("with a continue token that is nonsense is 400", async () => {
            expect((await list("limit=3&continue=nonsense")).status).toBe(400);
        });

        test("of nodes comes in pages and by label too", async () => {
            await cluster.putNodes(
                ["n1", "n2", "n3"].map((name) => ({ name, labels: { pool: name === "n2" ? "b" : "a" } })),
            );
            const first = await api.request("GET", "/api/v1/nodes?limit=2");
            expect([first.json.kind, namesOf(first)]).toEqual(["NodeList", ["n1", "n2"]]);
            for (const { metadata } of first.json.items ?? []) expect(metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
            const token = encodeURIComponent(first.json.metadata?.continue ?? "");
            expect(namesOf(await api.request("GET", `/api/v1/nodes?limit=2&continue=${token}`))).toEqual(["n3"]);
            expect(namesOf(await api.request("GET", "/api/v1/nodes?labelSelector=pool%3Db"))).toEqual(["n2"]);
        });
    });

    watchContract(() => ({ api, cluster, created }));

    test("every answer tells the server's clock", async () => {
        const before = Math.floor(Date.now() / 1000) * 1000;
        const { date } = await api.request("GET", "/api/v1/nodes?limit=1");
        expect(Date.parse(date ?? "")).toBeGreaterThanOrEqual(before);
        expect(Date.parse(date ?? "")).toBeLessThanOrEqual(Date.now());
    });

    describe("access", () => {
        test("without credentials the server takes is 401", async () => {
            const stranger = await openRawApi(cluster.adminKubeconfig.replace(/("?token"?: ?"?)[^"\n]+/, "$1nobody"));
            const { status } = await stranger.request("GET", PEERS);
            await stranger.close();
            expect(status).toBe(401);
        });

        test("with the least account: peers and nodes yes, secrets 403, and the message names verb and resource", async () => {
            const member = await openRawApi(cluster.kubeconfig);
            const statuses = [
                (await member.request("GET", `${PEERS}?limit=1`)).status,
                (await member.request("GET", "/api/v1/nodes?limit=1")).status,
            ];
            const secret = await member.request("GET", "/api/v1/namespaces/default/secrets/some");
            const node = await member.request("DELETE", "/api/v1/nodes/n1");
            await member.close();
            expect(statuses).toEqual([200, 200]);
            expect([secret.status, node.status]).toEqual([403, 403]);
            expect(secret.json.message).toContain('cannot get resource "secrets"');
        });

        test("to the namespace kube-system shows the uid that tells clusters apart; to other namespaces is 403", async () => {
            const member = await openRawApi(cluster.kubeconfig);
            const own = await member.request("GET", "/api/v1/namespaces/kube-system");
            const other = await member.request("GET", "/api/v1/namespaces/default");
            await member.close();
            expect([own.status, own.json.kind, other.status]).toEqual([200, "Namespace", 403]);
            expect(own.json.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
            expect((await api.request("GET", "/api/v1/namespaces/none")).json.reason).toBe("NotFound");
        });

        test("to a Secret that is not there is 404", async () => {
            const { status, json } = await api.request("GET", "/api/v1/namespaces/default/secrets/none");
            expect([status, json.reason]).toEqual([404, "NotFound"]);
        });

        test("to the list of API groups is open to the member, and has Kilo's", async () => {
            const member = await openRawApi(cluster.kubeconfig);
            const { status, json } = await member.request("GET", "/apis");
            await member.close();
            expect([status, json.kind]).toEqual([200, "APIGroupList"]);
            expect(json.groups?.map(({ name }) => name)).toContain("kilo.squat.ai");
        });

        test("to Kilo's group tells the member that it has peers", async () => {
            const member = await openRawApi(cluster.kubeconfig);
            const { status, json } = await member.request("GET", "/apis/kilo.squat.ai/v1alpha1");
            await member.close();
            expect([status, json.kind]).toEqual([200, "APIResourceList"]);
            expect(json.resources).toContainEqual(
                expect.objectContaining({ name: "peers", kind: "Peer", namespaced: false }),
            );
        });

        test("to a resource no CRD defines is 404 without a kind", async () => {
            const { status, json } = await api.request("GET", "/apis/kilo.squat.ai/v1alpha1/pears");
            expect([status, json.details?.kind ?? ""]).toEqual([404, ""]);
        });
    });
}
