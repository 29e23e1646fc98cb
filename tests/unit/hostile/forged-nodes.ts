import fc from "../../support/chance";
import { honestNodes, THIRD, VICTIM } from "./members";

const victim = honestNodes(VICTIM);
const third = honestNodes(THIRD);
const values = (nodes: typeof victim, annotation: string): string[] =>
    nodes.map(({ metadata }) => metadata?.annotations?.[`kilo.squat.ai/${annotation}`] ?? "");

const KEYS = [...values(victim, "key"), ...values(third, "key")];
const CIDRS = [...victim, ...third].flatMap(({ spec }) => spec?.podCIDRs ?? []);

const nasty = fc.constantFrom(
    "",
    "-",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "172.16.0.0/12",
    "10.16.1.5/24",
    "../../etc",
    'x"]; click c0 "javascript:alert(1)',
    "x\n    evil --> c0",
    "\u001b[2J\u001b[31mowned",
    "\u202egnissim era sedon\u2028next line",
    "a b c keepalive=1 0.0.0.0/0",
    "%i%x%0000",
    "__proto__",
    "constructor",
    "x".repeat(64 * 1024),
    `${"1,".repeat(30_000)}1`,
);

const text = fc.oneof(
    nasty,
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(...KEYS, ...CIDRS, ...values(victim, "wireguard-ip"), ...values(victim, "endpoint")),
);

/** Anything but a text, as a hostile API server can send it. */
const anything = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });

const kilo = (name: string): string => `kilo.squat.ai/${name}`;
const ANNOTATIONS = [
    "key",
    "endpoint",
    "force-endpoint",
    "clustermesh-endpoint",
    "wireguard-ip",
    "internal-ip",
    "force-internal-ip",
    "granularity",
    "location",
    "leader",
    "last-seen",
    "persistent-keepalive",
    "discovered-endpoints",
    "allowed-location-ips",
].map(kilo);

const [template] = honestNodes("a-hostile", 1);

/** A node of the hostile member: an honest one with any of its fields forged. */
export const forgedNode: fc.Arbitrary<unknown> = fc
    .record(
        {
            name: fc.oneof(fc.constantFrom("a-hostile-n1", "m-victim-n1", "n--m-victim--x"), text),
            annotations: fc.dictionary(fc.constantFrom(...ANNOTATIONS), anything, { maxKeys: 8 }),
            labels: fc.dictionary(
                fc.constantFrom("topology.kubernetes.io/region", "kilo-clustermesh.io/claim"),
                anything,
            ),
            podCIDRs: fc.oneof(fc.array(anything, { maxLength: 4 }), fc.constant(undefined)),
            addresses: fc.array(fc.record({ type: fc.constantFrom("InternalIP", "ExternalIP"), address: anything }), {
                maxLength: 3,
            }),
        },
        { requiredKeys: ["name"] },
    )
    .map(({ name, annotations, labels, podCIDRs, addresses }) => ({
        metadata: {
            name,
            labels: labels ?? {},
            annotations: { ...template?.metadata?.annotations, ...annotations },
        },
        spec: podCIDRs === undefined ? template?.spec : { podCIDR: podCIDRs[0], podCIDRs },
        status: addresses === undefined ? template?.status : { addresses },
    }));
