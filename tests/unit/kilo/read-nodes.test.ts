import { readNodes, staleFrom } from "../../../provider/kilo/read-nodes";
import type { KnownNode } from "../../../provider/kilo/types";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { key, node } from "../mesh/fixtures";

const CLUSTER: ClusterSpec = { name: "c" };
const read = (value: unknown, cluster = CLUSTER, now?: number): KnownNode | undefined =>
    readNodes([value], cluster, now)[0];
const bare = { name: "n", podCIDRs: [], internalIPs: [], externalIPs: [] };

test("everything planning needs is read, and nothing volatile", () => {
    const given = node({
        name: "n",
        seed: 3,
        pods: ["10.1.3.0/24", "fd00:1:0:3::/64"],
        annotations: {
            "internal-ip": "192.168.0.3/24",
            location: "eu",
            leader: "",
            "force-endpoint": "203.0.113.1:1",
            "clustermesh-endpoint": "203.0.113.2:2",
            "last-seen": "1700000000",
            "discovered-endpoints": "{}",
        },
        addresses: [
            { type: "Hostname", address: "n" },
            { type: "InternalIP", address: "192.168.0.3" },
            { type: "InternalIP", address: "FD00::3" },
            { type: "InternalIP", address: "192.168.0.3" },
            { type: "ExternalIP", address: "203.0.113.3" },
            { type: "ExternalIP", address: "host.example" },
        ],
    });
    expect(read(given, CLUSTER, 1_700_000_010)).toStrictEqual({
        name: "n",
        podCIDRs: ["10.1.3.0/24", "fd00:1:0:3::/64"],
        internalIPs: ["192.168.0.3", "fd00::3"],
        externalIPs: ["203.0.113.3"],
        kiloInternalIP: "192.168.0.3",
        key: key(3),
        wireguardIP: "10.4.0.3/16",
        granularity: "full",
        clustermeshEndpoint: "203.0.113.2:2",
        forceEndpoint: "203.0.113.1:1",
        kiloEndpoint: "192.0.2.3:51820",
        location: "eu",
        leader: true,
    });
});

test("the single pod CIDR counts where the list is missing or empty", () => {
    expect(read({ metadata: { name: "n" }, spec: { podCIDR: "10.1.1.0/24" } })?.podCIDRs).toEqual(["10.1.1.0/24"]);
    expect(read({ metadata: { name: "n" }, spec: { podCIDR: "10.1.1.0/24", podCIDRs: [] } })?.podCIDRs).toEqual([
        "10.1.1.0/24",
    ]);
    expect(read({ metadata: { name: "n" }, spec: { podCIDR: "a", podCIDRs: ["b", "c"] } })?.podCIDRs).toEqual([
        "b",
        "c",
    ]);
    expect(read({ metadata: { name: "n" }, spec: { podCIDR: "" } })?.podCIDRs).toEqual([]);
    expect(read({ metadata: { name: "n" }, spec: {} })?.podCIDRs).toEqual([]);
    expect(read({ metadata: { name: "n" }, spec: { podCIDR: 7 } })?.podCIDRs).toEqual(["…"]);
});

describe("the internal IP that Kilo uses", () => {
    test.each([
        [{}, {}],
        [{ "internal-ip": "192.168.0.1/24" }, { kiloInternalIP: "192.168.0.1" }],
        [{ "internal-ip": "" }, { noInternalIP: true }],
        [{ "internal-ip": "192.168.0.1" }, {}],
        [{ "internal-ip": "192.168.0.1/24", "force-internal-ip": "192.168.0.9/32" }, { kiloInternalIP: "192.168.0.9" }],
        [{ "internal-ip": "192.168.0.1/24", "force-internal-ip": "192.168.0.9" }, { kiloInternalIP: "192.168.0.1" }],
        [{ "internal-ip": "192.168.0.1/24", "force-internal-ip": "-" }, { noInternalIP: true }],
        [{ "internal-ip": "192.168.0.1/24", "force-internal-ip": "" }, { noInternalIP: true }],
        [{ "force-internal-ip": "-" }, { noInternalIP: true }],
        [{ "force-internal-ip": "junk" }, {}],
    ])("from %j is %j", (annotations, expected) => {
        const { kiloInternalIP, noInternalIP } = read(node({ annotations }))!;
        expect({ ...(kiloInternalIP && { kiloInternalIP }), ...(noInternalIP && { noInternalIP }) }).toEqual(expected);
    });
});

describe("the location", () => {
    const region = { "topology.kubernetes.io/region": "eu-1" };

    test.each([
        [{}, {}, undefined],
        [{}, region, "eu-1"],
        [{ location: "lab" }, region, "lab"],
        [{ location: "" }, region, undefined],
    ])("from annotations %j and labels %j is %j", (annotations, labels, expected) => {
        expect(read(node({ annotations, labels }))?.location).toBe(expected);
    });

    test("long ones stay different when they differ at the end only", () => {
        const long = (end: string) => read(node({ annotations: { location: "x".repeat(400) + end } }))?.location;
        expect(long("a")).not.toBe(long("b"));
        expect(long("a")).toHaveLength(217);
        expect(read(node({ annotations: { location: "x".repeat(253) } }))?.location).toBe("x".repeat(253));
    });
});

test("any leader annotation makes a leader, even one that says false", () => {
    expect(read(node({ annotations: { leader: "false" } }))?.leader).toBe(true);
    expect(read(node())).not.toHaveProperty("leader");
});

test("a node becomes stale a minute after it was seen last; one that says nothing never does", () => {
    expect(staleFrom(node({ annotations: { "last-seen": "1000" } }))).toBe(1060);
    expect(staleFrom(node({ annotations: { "last-seen": "junk" } }))).toBe(60);
    for (const silent of [node({ annotations: { "last-seen": "" } }), node(), { metadata: {} }, {}]) {
        expect(staleFrom(silent)).toBeUndefined();
    }
});

describe("staleness", () => {
    const stale = (lastSeen: string | undefined, now?: number) =>
        read(node({ annotations: { "last-seen": lastSeen } }), CLUSTER, now)?.stale ?? false;

    test.each([
        ["1000", 1059, false],
        ["1000", 1060, true],
        ["1000", undefined, false],
        ["1000", Number.NaN, false],
        ["1000", 900, false],
        [undefined, 5000, false],
        ["", 5000, false],
        ["soon", 5000, true],
        ["1e3", 1001, true],
        ["-1", 5000, true],
        ["1", Number.POSITIVE_INFINITY, false],
    ])("last seen %j at %p: %p", (lastSeen, now, expected) => {
        expect(stale(lastSeen, now)).toBe(expected);
    });
});

test("a time that is not a text cannot be read, and is long ago", () => {
    const odd = node();
    Object.assign(odd.metadata!.annotations!, { "kilo.squat.ai/last-seen": 990 });
    expect(read(odd, CLUSTER, 1000)?.stale).toBe(true);
});

describe("the uid of the Node object", () => {
    const withUid = (uid: string) => ({ ...node(), metadata: { ...node().metadata, uid } });

    test("is kept as a short digest that tells it from another", () => {
        const uid = read(withUid("0a1b2c3d-0000-4000-8000-000000000001"))?.uid;
        expect(uid).toMatch(/^[0-9a-f]{10}$/);
        expect(read(withUid("0a1b2c3d-0000-4000-8000-000000000002"))?.uid).not.toBe(uid);
        expect(read(withUid("0a1b2c3d-0000-4000-8000-000000000001"))?.uid).toBe(uid);
    });

    test("may be missing", () => {
        expect(read(node())).not.toHaveProperty("uid");
        expect(read(withUid(""))).not.toHaveProperty("uid");
    });
});

test("a node opts out with the word true and no other", () => {
    const annotated = (value: unknown) =>
        read({ metadata: { name: "n", annotations: { "kilo-clustermesh.io/ignore": value } } });
    expect(annotated("true")).toStrictEqual({ ...bare, ignored: true });
    for (const other of ["false", "", "True", " true", true, null]) expect(annotated(other)).toStrictEqual(bare);
});

test("a node dials where it has a keepalive above zero", () => {
    const dials = (value: unknown) =>
        read({ metadata: { name: "n", annotations: { "kilo.squat.ai/persistent-keepalive": value } } })?.dials ?? false;
    expect(["25", "1", "0", "", "-5", "soon", undefined].map(dials)).toEqual([
        true,
        true,
        false,
        false,
        false,
        false,
        false,
    ]);
});

test("the node selector marks, and does not drop", () => {
    const cluster = { name: "c", nodeSelector: { pool: "mesh", zone: "a" } };
    expect(read(node({ labels: { pool: "mesh", zone: "a", more: "x" } }), cluster)).not.toHaveProperty("unselected");
    expect(read(node({ labels: { pool: "mesh" } }), cluster)?.unselected).toBe(true);
    expect(read(node(), cluster)?.unselected).toBe(true);
    expect(read(node(), { name: "c", nodeSelector: {} })).not.toHaveProperty("unselected");
    expect(read(node({ labels: {} }), { name: "c", nodeSelector: { constructor: "x" } })?.unselected).toBe(true);
});

test("nodes are sorted by name, and of two with one name the same one stays in any order", () => {
    const nodes = [
        node({ name: "b" }),
        node({ name: "a", seed: 1 }),
        node({ name: "c" }),
        node({ name: "a", seed: 2 }),
    ];
    const facts = readNodes(nodes, CLUSTER);
    expect(facts.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(readNodes([...nodes].reverse(), CLUSTER)).toEqual(facts);
});

describe("hostile nodes are harmless", () => {
    const throwing = new Proxy({}, { get: () => boom(), has: () => boom(), getOwnPropertyDescriptor: () => boom() });
    const boom = (): never => {
        throw new Error("boom");
    };

    test.each([
        ["null", null],
        ["a text", "node"],
        ["no metadata", {}],
        ["no name", { metadata: {} }],
        ["an empty name", { metadata: { name: "" } }],
        ["a name that is a number", { metadata: { name: 7 } }],
        ["a list of names", { metadata: { name: ["n"] } }],
        ["a name with a line break", { metadata: { name: "a\nb" } }],
        ["a name that is written from right to left", { metadata: { name: "a\u202eb" } }],
        ["a name with half a surrogate pair", { metadata: { name: "a\ud800" } }],
        ["a name beyond all bounds", { metadata: { name: "n".repeat(1025) } }],
        ["an inherited name", Object.create({ metadata: { name: "n" } })],
        ["a proxy that throws", throwing],
        [
            "a getter that throws",
            Object.defineProperty({ metadata: { name: "n" } }, "spec", { get: boom, enumerable: true }),
        ],
    ])("one with %s is dropped", (_, value) => {
        expect(readNodes([value, node({ name: "good" })], CLUSTER).map(({ name }) => name)).toEqual(["good"]);
    });

    test("a list that is none is empty", () => {
        expect(readNodes(undefined as never, CLUSTER)).toEqual([]);
        expect(readNodes("nodes" as never, CLUSTER)).toEqual([]);
    });

    test("values of the wrong type are as good as absent", () => {
        const odd = {
            metadata: {
                name: "n",
                labels: 7,
                annotations: { "kilo.squat.ai/key": 7, "kilo.squat.ai/location": {}, "kilo.squat.ai/leader": null },
            },
            spec: "x",
            status: { addresses: [null, 7, { type: "InternalIP" }, { type: "InternalIP", address: 7 }] },
        };
        expect(read(odd)).toStrictEqual({ ...bare, leader: true });
        expect(read({ metadata: { name: "n", annotations: [] }, spec: { podCIDRs: "10.0.0.0/8" } })).toStrictEqual(
            bare,
        );
        expect(read({ metadata: { name: "n", annotations: { "kilo.squat.ai/internal-ip": 7 } } })).toStrictEqual(bare);
        expect(read({ metadata: { name: "n", uid: 7 } })).toStrictEqual(bare);
    });

    test("long values are cut so that they cannot be valid", () => {
        const long = "1".repeat(100_000);
        const facts = read({
            metadata: {
                name: "n".repeat(1024),
                annotations: {
                    "kilo.squat.ai/key": long,
                    "kilo.squat.ai/wireguard-ip": long,
                    "kilo.squat.ai/granularity": long,
                    "kilo.squat.ai/endpoint": long,
                    "kilo.squat.ai/force-endpoint": long,
                    "kilo.squat.ai/clustermesh-endpoint": long,
                },
            },
            spec: { podCIDRs: [long, 7] },
        })!;
        expect(facts.podCIDRs).toEqual([`${"1".repeat(64)}…`, "…"]);
        expect([facts.key, facts.wireguardIP, facts.granularity].map((text) => text?.length)).toEqual([65, 65, 33]);
        expect(
            [facts.kiloEndpoint, facts.forceEndpoint, facts.clustermeshEndpoint].map((text) => text?.length),
        ).toEqual([301, 301, 301]);
        expect(facts.key?.endsWith("…")).toBe(true);
        expect(JSON.stringify(facts).length).toBeLessThan(3000);
    });

    test("long lists are bounded", () => {
        const addresses = Array.from({ length: 1000 }, (_, i) => ({
            type: "InternalIP",
            address: `10.0.${i >> 8}.${i & 255}`,
        }));
        const podCIDRs = Array.from({ length: 9 }, (_, i) => `10.1.${i}.0/24`);
        expect(read({ metadata: { name: "n" }, spec: { podCIDRs }, status: { addresses } })).toMatchObject({
            podCIDRs: ["…"],
            internalIPs: addresses.slice(0, 16).map(({ address }) => address),
        });
        expect(read({ metadata: { name: "n" }, spec: { podCIDRs: podCIDRs.slice(1) } })?.podCIDRs).toHaveLength(8);
    });
});
