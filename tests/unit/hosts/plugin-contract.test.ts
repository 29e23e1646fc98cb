import { status } from "@grpc/grpc-js";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Props } from "../../../provider/resources/host";
import { UNKNOWN } from "../../../provider/values/unknown";
import { key } from "../../support/keys";
import { MemoryCluster, memoryHost } from "../../support/memory-cluster";
import { inputs } from "../../support/peer-set-inputs";
import {
    ask,
    type Connected,
    connectPlugin,
    failureOf,
    initFailed,
    secret,
    struct,
    unknownOutput,
    urn,
} from "./support/plugin-client";

let hub: MemoryCluster;
let plugin: Connected;
let attached: string[];

beforeEach(async () => {
    hub = new MemoryCluster("hub");
    attached = [];
    plugin = await connectPlugin(memoryHost([hub]), { attach: (address) => attached.push(address) });
});

afterEach(() => plugin.close());

const KUBECONFIG = "apiVersion: v1 # token: hunter2";
const line = (n: number): string => `${key(n)} 192.0.2.${n}:51820 10.2.${n}.0/24`;

/** What a program sends for a peer set: without the inputs that tell the dynamic host which resource it is. */
function peerSetProps(peers: Readonly<Record<string, string>>, more: Props = {}): Props {
    const { resource: _, ...props } = inputs(peers, { kubeconfig: secret(KUBECONFIG), ...more });
    return props;
}

const bag = (value: { toJavaScript(): Props } | undefined): Props => value?.toJavaScript() ?? {};

async function create(props: Props, type = "PeerSet"): Promise<{ id: string; outs: Props }> {
    const request = new proto.CreateRequest();
    request.setUrn(urn(type));
    request.setProperties(struct(props));
    const answer = await ask<proto.CreateResponse>((done) => plugin.client.create(request, done));
    return { id: answer.getId(), outs: bag(answer.getProperties()) };
}

async function check(olds: Props, news: Props, type = "PeerSet"): Promise<Props> {
    const request = new proto.CheckRequest();
    request.setUrn(urn(type));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    return bag((await ask<proto.CheckResponse>((done) => plugin.client.check(request, done))).getInputs());
}

async function diff(olds: Props, news: Props, type = "PeerSet"): Promise<boolean> {
    const request = new proto.DiffRequest();
    request.setUrn(urn(type));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const answer = await ask<proto.DiffResponse>((done) => plugin.client.diff(request, done));
    return answer.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME;
}

async function update(id: string, olds: Props, news: Props): Promise<Props> {
    const request = new proto.UpdateRequest();
    request.setId(id);
    request.setUrn(urn("PeerSet"));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    return bag((await ask<proto.UpdateResponse>((done) => plugin.client.update(request, done))).getProperties());
}

async function read(id: string, outs: Props): Promise<{ props: Props; inputs: Props | undefined }> {
    const request = new proto.ReadRequest();
    request.setId(id);
    request.setUrn(urn("PeerSet"));
    request.setProperties(struct(outs));
    const answer = await ask<proto.ReadResponse>((done) => plugin.client.read(request, done));
    return { props: bag(answer.getProperties()), inputs: answer.getInputs()?.toJavaScript() };
}

function remove(id: string, outs: Props): Promise<Empty> {
    const request = new proto.DeleteRequest();
    request.setId(id);
    request.setUrn(urn("PeerSet"));
    request.setProperties(struct(outs));
    return ask<Empty>((done) => plugin.client.delete(request, done));
}

const cancel = (): Promise<Empty> => ask<Empty>((done) => plugin.client.cancel(new Empty(), done));

describe("what the engine asks first", () => {
    test("it accepts secrets, resources and outputs, and takes no part in previews", async () => {
        const answer = await ask<proto.ConfigureResponse>((done) =>
            plugin.client.configure(new proto.ConfigureRequest(), done),
        );
        expect(answer.toObject()).toMatchObject({
            acceptsecrets: true,
            acceptresources: true,
            acceptoutputs: true,
            supportspreview: false,
        });
    });

    test("there is no handshake: with one the engine would create in previews", async () => {
        const failure = await failureOf(
            ask((done) => plugin.client.handshake(new proto.ProviderHandshakeRequest(), done)),
        );
        expect(failure.code).toBe(status.UNIMPLEMENTED);
    });

    test("it tells its version and its schema", async () => {
        const info = await ask<{ getVersion(): string }>((done) => plugin.client.getPluginInfo(new Empty(), done));
        expect(info.getVersion()).toBe("1.2.3");
        const schema = await ask<proto.GetSchemaResponse>((done) =>
            plugin.client.getSchema(new proto.GetSchemaRequest(), done),
        );
        expect(JSON.parse(schema.getSchema())).toEqual({ name: "kilo-clustermesh" });
    });

    test("an engine that did not start it says where it is", async () => {
        const request = new PluginAttach();
        request.setAddress("127.0.0.1:4711");
        await ask((done) => plugin.client.attach(request, done));
        expect(attached).toEqual(["127.0.0.1:4711"]);
    });

    test("a resource that it does not have is refused by name", async () => {
        await expect(create({}, "Banana")).rejects.toThrow(
            "the plugin kilo-clustermesh has no resource kilo-clustermesh:index:Banana: use ClusterMesh",
        );
    });
});

describe("the life of a peer set", () => {
    test("is written, found unchanged, changed, read and deleted", async () => {
        const first = await check({}, peerSetProps({ a: line(1) }));
        const { id, outs } = await create(first);
        expect([...hub.peers.keys()]).toEqual(["a"]);
        expect(await diff(outs, first)).toBe(false);
        const second = await check(first, peerSetProps({ a: line(1), b: line(2) }));
        expect(await diff(outs, second)).toBe(true);
        const changed = await update(id, outs, second);
        expect([...hub.peers.keys()]).toEqual(["a", "b"]);
        expect(await read(id, changed)).toEqual({ props: changed, inputs: undefined });
        await remove(id, changed);
        expect(hub.peers.size).toBe(0);
    });

    test("a peer that somebody deleted is drift: what is there comes back as inputs", async () => {
        const { id, outs } = await create(peerSetProps({ a: line(1), b: line(2) }));
        hub.peers.delete("b");
        const { inputs: found } = await read(id, outs);
        expect(JSON.stringify(found?.peers)).toContain('"a"');
        expect(JSON.stringify(found?.peers)).not.toContain('"b"');
    });

    test("state of the dynamic host is read as its own, and a refresh leaves it as it was", async () => {
        const { id, outs } = await create(peerSetProps({ a: line(1) }));
        const recorded = { ...outs, __provider: "exports.handler = …", resource: "peers", resourceUrn: "urn:of:old" };
        expect(await diff(recorded, await check({}, peerSetProps({ a: line(1) })))).toBe(false);
        expect((await read(id, recorded)).props).toEqual(recorded);
    });

    test("state of a newer version is refused", async () => {
        await expect(create(peerSetProps({}, { schemaVersion: 99 }))).rejects.toThrow(
            "Upgrade pulumi-kilo-clustermesh",
        );
    });

    test("an import is refused with the way to take peers over", async () => {
        await expect(read("edge/hub/peers", {})).rejects.toThrow("adopt: true");
    });

    test("nothing is written in a preview, even if an engine asks for it", async () => {
        const request = new proto.CreateRequest();
        request.setUrn(urn("PeerSet"));
        request.setProperties(struct(peerSetProps({ a: line(1) })));
        request.setPreview(true);
        const answer = await ask<proto.CreateResponse>((done) => plugin.client.create(request, done));
        expect(answer.getId()).toBe("");
        expect(hub.log).toEqual([]);
    });
});

describe("secrets", () => {
    test("a kubeconfig leaves every call as a secret", async () => {
        const checked = await check({}, peerSetProps({ a: line(1) }));
        const { id, outs } = await create(checked);
        hub.peers.delete("a");
        const { props, inputs: found } = await read(id, outs);
        const updated = await update(id, outs, peerSetProps({ b: line(2) }));
        for (const each of [checked, outs, props, found, updated]) {
            expect(each?.kubeconfig).toEqual(secret(KUBECONFIG));
        }
    });

    test("one that came in plain text leaves as a secret too", async () => {
        const { outs } = await create(peerSetProps({ a: line(1) }, { kubeconfig: KUBECONFIG }));
        expect(outs.kubeconfig).toEqual(secret(KUBECONFIG));
    });

    test("a partial failure does not tell it either", async () => {
        hub.fault = (call) => (call === "create" ? { kind: "forbidden" } : undefined);
        const failure = await failureOf(create(peerSetProps({ a: line(1) })));
        expect(initFailed(failure).properties.kubeconfig).toEqual(secret(KUBECONFIG));
        expect(failure.message).not.toContain("hunter2");
    });

    test("whatever else came in as a secret stays one", async () => {
        const { outs } = await create(peerSetProps({}, { context: secret("admin") }));
        expect(outs.context).toEqual(secret("admin"));
    });

    test("what the call itself tells is in no answer", async () => {
        const { outs } = await create(peerSetProps({}));
        expect(Object.keys(outs)).not.toEqual(expect.arrayContaining(["resource"]));
        expect(Object.keys(outs)).not.toEqual(expect.arrayContaining(["resourceUrn"]));
    });
});

describe("values that are not known", () => {
    test("an unknown source hides nothing of the others", async () => {
        const known = peerSetProps({ a: line(1) });
        const peers = { ...(known.peers as Props), berlin: unknownOutput() };
        const checked = await check({}, { ...known, peers });
        expect(checked.peers).toEqual({ spoke: { a: line(1) }, berlin: UNKNOWN });
        expect(await diff({}, checked)).toBe(true);
    });

    test("a member whose nodes are unknown stays unknown", async () => {
        const news = { mesh: "edge", cluster: "hub", nodes: UNKNOWN, schemaVersion: 1, allowEmpty: false };
        expect((await check({}, news, "Member")).nodes).toBe(UNKNOWN);
    });

    test("an unknown kubeconfig is not taken for a secret text", async () => {
        expect((await check({}, peerSetProps({}, { kubeconfig: UNKNOWN }))).kubeconfig).toBe(UNKNOWN);
    });
});

describe("failures", () => {
    test("a partial failure carries what was written, with the reasons", async () => {
        hub.fault = (call, name) => (call === "create" && name === "b" ? { kind: "forbidden" } : undefined);
        const failure = await failureOf(create(peerSetProps({ a: line(1), b: line(2) })));
        const { id, properties, reasons } = initFailed(failure);
        expect(id).toBe("edge/hub/peers");
        expect(properties.ledger).toMatch(/^a /);
        expect(properties.ledger).not.toMatch(/b /);
        expect(reasons).toEqual([expect.stringContaining("b: ")]);
    });

    test("of very many reasons the first are told, and the summary", async () => {
        hub.fault = (call, name) => (call === "create" && name !== "p0" ? { kind: "forbidden" } : undefined);
        const many = Array.from({ length: 200 }, (_, n) => [`p${n}`, `${key(n)} 192.0.2.1:51820 10.2.${n}.0/24`]);
        const failure = await failureOf(create(peerSetProps(Object.fromEntries(many))));
        const { reasons } = initFailed(failure);
        expect(reasons).toHaveLength(50);
        expect(reasons.at(-1)).toContain("199 of 200 changes in hub failed");
    });

    test("a deletion that fails says why", async () => {
        const { id, outs } = await create(peerSetProps({ a: line(1) }));
        hub.fault = (call) => (call === "delete" ? { kind: "forbidden" } : undefined);
        await expect(remove(id, outs)).rejects.toThrow("1 of 1 peers in hub could not be deleted");
    });
});

describe("a cancelled run", () => {
    test("begins no further write, and answers with the ledger of what was done", async () => {
        const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, line(n + 1)]));
        let created = 0;
        hub.onChange = () => {
            created += 1;
            if (created === 20) void cancel();
        };
        const failure = await failureOf(create(peerSetProps(many)));
        const { properties, reasons } = initFailed(failure);
        expect(hub.peers.size).toBeGreaterThanOrEqual(20);
        expect(hub.peers.size).toBeLessThan(100);
        expect(String(properties.ledger).split(";")).toHaveLength(hub.peers.size);
        expect(reasons[0]).toContain("the run was cancelled");
    });

    test("a peer that is replaced is not lost: what was deleted for it is still created", async () => {
        const { id, outs } = await create(peerSetProps({ a: `${key(1)} 192.0.2.1:51820 keepalive=25 10.2.1.0/24` }));
        hub.fault = (call) => {
            if (call === "delete") void cancel();
            return undefined;
        };
        const moved = peerSetProps({ a: `${key(1)} 192.0.2.9:51820 keepalive=25 10.2.1.0/24` });
        await update(id, outs, moved);
        expect(hub.writes.slice(-2)).toEqual(["delete a", "create a"]);
        expect([...hub.peers.keys()]).toEqual(["a"]);
    });

    test("contacts no cluster any more", async () => {
        await cancel();
        await expect(create(peerSetProps({ a: line(1) }))).rejects.toThrow("the run was cancelled");
        expect(hub.log).toEqual([]);
    });
});

test("a mesh record holds its random id, and a member its claim", async () => {
    const record = await create({ mesh: "edge", schemaVersion: 1 }, "Mesh");
    expect(record.id).not.toBe("");
    expect(await diff(record.outs, { mesh: "edge", schemaVersion: 1 }, "Mesh")).toBe(false);
    const member = await create({ mesh: "edge", cluster: "hub", nodes: "", schemaVersion: 1 }, "Member");
    expect(member.id).toMatch(/^edge\/hub\//);
});

test("what a resource said is delivered before its answer", async () => {
    plugin.close();
    const order: string[] = [];
    plugin = await connectPlugin(memoryHost([hub]), {
        delivered: async () => {
            order.push("delivered");
        },
    });
    await create(peerSetProps({ a: line(1) }));
    expect(order).toEqual(["delivered"]);
});
