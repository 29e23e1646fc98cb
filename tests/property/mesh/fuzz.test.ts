import type { KubeNode, KubePeer } from "../../../provider/kilo/types";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { ClusterSpec } from "../../../provider/mesh/types";
import { seed } from "../../support/chance";
import { key } from "../../support/keys";
import { declaredOf, holds, isInside } from "./arbitrary-mesh";

/** How many hostile lists are thrown at the planner. */
const ROUNDS = Number(process.env.MESH_FUZZ ?? 100_000);

/** Small and fast: drawing must not take longer than planning (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
}

const CLUSTERS: readonly ClusterSpec[] = [
    {
        name: "a",
        podCIDRs: ["10.1.0.0/16", "fd00:1::/48"],
        wireguardCIDR: "10.4.1.0/24",
        serviceCIDR: "10.96.0.0/16",
        nodeCIDRs: ["192.168.1.0/24"],
        nodeSelector: { pool: "mesh" },
    },
    { name: "b", allowedNetworks: ["10.2.0.0/16", "10.4.2.0/24", "10.97.0.0/16"], acceptedNetworks: ["10.0.0.0/9"] },
];

const thrower = new Proxy(
    {},
    {
        get: () => {
            throw new Error("get");
        },
        getOwnPropertyDescriptor: () => {
            throw new Error("descriptor");
        },
    },
);

/** Values for any place: of every type, size and malice. */
const GARBAGE: readonly unknown[] = [
    undefined,
    null,
    true,
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    10n,
    Symbol("s"),
    () => "x",
    "",
    " ",
    "\u0000",
    "\n",
    "a\u202eb",
    "\ud800",
    "…",
    "😀".repeat(50),
    "x".repeat(100_000),
    "__proto__",
    "constructor",
    "toString",
    "-",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/8",
    "10.1.0.0/15",
    "10.1.1.0/24",
    "10.1.1.7/24",
    "10.2.1.0/24",
    "10.96.0.0/12",
    "fd00:1::/16",
    "::ffff:10.1.1.0/120",
    "fe80::1%eth0/64",
    "192.168.1.1",
    "192.168.1.1/24",
    "10.4.1.1/16",
    "10.4.2.1/0",
    "999.1.1.1/24",
    "1.2.3.4:51820",
    "[::1]:51820",
    "[2001:db8::1]:51820",
    "10.1.1.1:51820",
    "a..b:51820",
    "1.2.3.4:99999",
    "gw.example.com:51820",
    "location",
    "full",
    "{}",
    "{",
    "[".repeat(5_000),
    `{"${key(1)}":{"IP":"198.51.100.1","Port":51820}}`,
    `{"__proto__":{"IP":"198.51.100.1","Port":51820}}`,
    `{"${key(1)}":{"IP":"10.1.1.1","Port":1e99}}`,
    key(1),
    key(2),
    `${"A".repeat(43)}=`,
    [],
    [[]],
    [null],
    ["10.1.1.0/24", 7],
    Array.from({ length: 50 }, (_, i) => `10.1.${i}.0/24`),
    {},
    { length: 5 },
    Object.create(null),
    Object.create({ name: "inherited" }),
    thrower,
    new Date(0),
    new Map([["a", 1]]),
];

const ANNOTATIONS = [
    "key",
    "wireguard-ip",
    "endpoint",
    "force-endpoint",
    "clustermesh-endpoint",
    "granularity",
    "location",
    "leader",
    "internal-ip",
    "force-internal-ip",
    "last-seen",
    "discovered-endpoints",
];

test(`${ROUNDS} hostile node lists neither throw nor leak (seed ${seed})`, () => {
    const random = randomFrom(seed);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
    const garbage = (): unknown => pick(GARBAGE);
    /** Mostly what it should be, so that the garbage gets far. */
    const mostly = (value: unknown): unknown => (random(6) === 0 ? garbage() : value);

    const hostileNode = (cluster: number, n: number): unknown => {
        const annotations: Record<string, unknown> = {
            "kilo.squat.ai/key": mostly(key(cluster * 10 + n)),
            "kilo.squat.ai/wireguard-ip": mostly(`10.4.${cluster}.${n}/24`),
            "kilo.squat.ai/granularity": mostly(pick(["full", "location"])),
            "kilo.squat.ai/endpoint": mostly(`192.0.2.${n}:51820`),
        };
        for (let i = random(4); i > 0; i--) annotations[`kilo.squat.ai/${pick(ANNOTATIONS)}`] = garbage();
        return mostly({
            metadata: mostly({
                name: mostly(`n${n}`),
                labels: mostly({ pool: mostly("mesh") }),
                annotations: mostly(annotations),
            }),
            spec: mostly({ podCIDRs: mostly([mostly(`10.${cluster}.${n}.0/24`)]) }),
            status: mostly({
                addresses: mostly([mostly({ type: mostly("InternalIP"), address: mostly(`192.168.1.${n}`) })]),
            }),
        });
    };
    const hostilePeer = (): unknown =>
        mostly({
            metadata: mostly({
                name: mostly("m--a--n1"),
                labels: mostly({ "kilo-clustermesh.io/claim": mostly("c") }),
                annotations: mostly({}),
            }),
            spec: mostly({
                publicKey: mostly(key(1)),
                allowedIPs: mostly([mostly("10.1.1.0/24")]),
                endpoint: garbage(),
            }),
        });
    const several = (draw: (n: number) => unknown): readonly unknown[] =>
        Array.from({ length: random(4) }, (_, n) => draw(n + 1));

    for (let round = 0; round < ROUNDS; round++) {
        const plan = planMesh({
            mesh: "m",
            claims: { a: "c", b: "c" },
            clusters: CLUSTERS,
            nodes: {
                a: mostly(several((n) => hostileNode(1, n))) as readonly KubeNode[],
                b: mostly(several((n) => hostileNode(2, n))) as readonly KubeNode[],
            },
            livePeers: { b: mostly(several(hostilePeer)) as readonly KubePeer[] },
            adopt: random(2) === 0,
            now: mostly(1_700_000_000) as number,
        });
        for (const [cluster, other] of [
            [CLUSTERS[0]!, "b"],
            [CLUSTERS[1]!, "a"],
        ] as const) {
            const peers = plan.peers[other];
            holds(peers !== undefined, "round", round, plan.issues);
            for (const name in peers) {
                for (const cidr of peers[name]!.spec.allowedIPs) {
                    holds(isInside(cidr, declaredOf(cluster)), "round", round, "leaks", cidr);
                }
            }
        }
        for (const { message } of [...plan.skipped, ...plan.issues]) {
            holds(message.length < 600 && /^[\x20-\x7e…→]*$/.test(message), "round", round, "says", message);
        }
    }
});
