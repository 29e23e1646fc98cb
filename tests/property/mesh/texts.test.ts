import { Address4, Address6 } from "ip-address";
import { parseEndpoint } from "../../../provider/kilo/endpoint";
import type { NodeFacts } from "../../../provider/kilo/types";
import { peerName } from "../../../provider/mesh/names";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import { sortIssues } from "../../../provider/mesh/report/findings";
import { addressOf, addressText, v4Value } from "../../../provider/net/address";
import { contains, intersection, networkOf, outermost, overlaps, parseCidr } from "../../../provider/net/cidr";
import { eachOverlap, overlapFinder } from "../../../provider/net/overlaps";
import { decodeFacts, encodeFacts } from "../../../provider/state/facts-text";
import { decodePeer, encodePeer } from "../../../provider/state/peer-text";
import fc from "../../support/chance";
import { lineOf } from "../../support/peer-line";
import { arbitraryMesh, holds, RUNS } from "./arbitrary-mesh";

const runs = { numRuns: RUNS };
const anyText = fc.string({ unit: "binary", maxLength: 40 });
const octet = fc.constantFrom("0", "1", "9", "10", "99", "100", "255", "256", "00", "01", "", "a", " 1", "1e1", "-1");
const quad = fc.oneof(
    fc.ipV4(),
    fc.array(octet, { minLength: 2, maxLength: 5 }).map((parts) => parts.join(".")),
    anyText,
);
const network = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, prefix]) => networkOf(`${ip}/${prefix}`)!),
    fc
        .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 20, max: 32 }))
        .map(([n, prefix]) => networkOf(`10.0.${n}.${n}/${prefix}`)!),
    fc
        .tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }))
        .map(([ip, prefix]) => networkOf(`${ip}/${prefix}`))
        .filter((found) => found !== undefined),
);

test("our reading of IPv4 is that of ip-address", () => {
    const theirs = (text: string): number => {
        try {
            return text.includes("/") ? -1 : Number(new Address4(text).bigInt());
        } catch {
            return -1;
        }
    };
    fc.assert(
        fc.property(quad, (text) =>
            holds(v4Value(text, text.length) === theirs(text), text, v4Value(text, text.length)),
        ),
        runs,
    );
});

test("an address and a network have one canonical text, which reads as themselves", () => {
    fc.assert(
        fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
            const address = addressOf(text);
            if (address === undefined) return holds(text.includes(".") || Address6.isValid(text), text);
            holds(addressOf(address.text)?.first === address.first, text);
            holds(addressText(address.first) === address.text, text, address.text);
        }),
        runs,
    );
    fc.assert(
        fc.property(network, (found) => {
            const again = networkOf(found.text)!;
            holds(again.text === found.text && again.first === found.first && again.last === found.last, found.text);
            const strict = parseCidr(found.text);
            holds("text" in strict ? strict.text === found.text : found.prefix === 0, found.text);
        }),
        runs,
    );
});

test("overlaps are found by the sweep and by the index as by comparing all pairs", () => {
    fc.assert(
        fc.property(fc.array(network, { maxLength: 12 }), network, (list, asked) => {
            const owned = list.map((found, owner) => ({ network: found, owner }));
            const pairs = new Set<string>();
            eachOverlap(owned, ({ outer, inner }) =>
                pairs.add([outer.owner, inner.owner].sort((a, b) => a - b).join()),
            );
            list.forEach((a, i) => {
                list.forEach((b, j) => {
                    if (i < j) holds(pairs.has(`${i},${j}`) === overlaps(a, b), a.text, b.text);
                });
            });
            const found = overlapFinder(owned)(asked);
            holds((found !== undefined) === list.some((other) => overlaps(other, asked)), asked.text);
            if (found !== undefined) holds(overlaps(list[found]!, asked), asked.text);
        }),
        runs,
    );
});

test("the outermost networks cover what all do, and an intersection is in both", () => {
    fc.assert(
        fc.property(fc.array(network, { maxLength: 8 }), fc.array(network, { maxLength: 8 }), (left, right) => {
            const [a, b] = [outermost(left), outermost(right)];
            for (const inner of left)
                holds(
                    a.some((outer) => contains(outer, inner)),
                    inner.text,
                );
            for (const [i, x] of a.entries()) for (const y of a.slice(i + 1)) holds(!overlaps(x, y), x.text, y.text);
            const common = intersection(a, b);
            for (const found of common) {
                holds(
                    a.some((outer) => contains(outer, found)) && b.some((outer) => contains(outer, found)),
                    found.text,
                );
            }
            holds((common.length === 0) === !a.some((x) => b.some((y) => overlaps(x, y))), "missed");
            holds(
                JSON.stringify(common.map(({ text }) => text)) ===
                    JSON.stringify(intersection(b, a).map(({ text }) => text)),
                "order",
            );
        }),
        runs,
    );
});

test("no text makes the readers throw, and an endpoint has one text", () => {
    fc.assert(
        fc.property(
            fc.oneof(
                anyText,
                fc.tuple(fc.domain(), fc.nat({ max: 70_000 })).map((parts) => parts.join(":")),
            ),
            (text) => {
                parseCidr(text);
                networkOf(text);
                const endpoint = parseEndpoint(text);
                if (endpoint !== undefined) holds(parseEndpoint(endpoint.text)?.text === endpoint.text, text);
            },
        ),
        runs,
    );
});

test("facts of any content come back exactly from their line", () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), anyText);
    const endpoint = fc.oneof(
        fc.tuple(address, fc.nat({ max: 65535 })).map(([ip, port]) => `${ip}:${port}`),
        anyText,
    );
    const word = fc.oneof(
        anyText,
        fc.constantFrom("full", "location", "cross", "%i", "ip:1", "external:2", "leader", "a=b", "constructor"),
    );
    const facts = fc.record(
        {
            name: anyText,
            podCIDRs: fc.array(word, { maxLength: 3 }),
            internalIPs: fc.array(address, { maxLength: 2 }),
            externalIPs: fc.array(address, { maxLength: 2 }),
            key: word,
            wireguardIP: word,
            kiloInternalIP: address,
            granularity: word,
            location: word,
            clustermeshEndpoint: endpoint,
            forceEndpoint: endpoint,
            kiloEndpoint: endpoint,
            leader: fc.constant(true),
            noInternalIP: fc.constant(true),
            unselected: fc.constant(true),
            ignored: fc.constant(true),
            dials: fc.constant(true),
            uid: word,
        },
        { requiredKeys: ["name", "podCIDRs", "internalIPs", "externalIPs"] },
    );
    const repeats = facts.map((found) => ({
        ...found,
        kiloInternalIP: found.internalIPs[0] ?? "x",
        kiloEndpoint: `${found.externalIPs[0]}:1`,
    }));
    fc.assert(
        fc.property(fc.oneof(facts, repeats) as fc.Arbitrary<NodeFacts>, (found) => {
            const line = encodeFacts(found);
            holds(/^[\x20-\x7e]*$/.test(line), line);
            expect(decodeFacts(found.name, line)).toStrictEqual({ ...found });
        }),
        runs,
    );
});

test("a planned peer comes back exactly from its line, and lives as the same line", () => {
    fc.assert(
        fc.property(arbitraryMesh(), (input) => {
            for (const peers of Object.values(planMesh(input).peers)) {
                for (const [name, { spec, annotations }] of Object.entries(peers)) {
                    const configured = annotations?.["kilo-clustermesh.io/configured-endpoint"];
                    const peer = configured === undefined ? { spec } : { spec, configured };
                    const line = encodePeer(peer);
                    holds(JSON.stringify(sorted(decodePeer(line))) === JSON.stringify(sorted(peer)), line);
                    holds(lineOf({ metadata: { name, ...(annotations && { annotations }) }, spec }) === line, line);
                }
            }
        }),
        runs,
    );
});

/** The same value with its keys in order, without those that are undefined. */
function sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}

test("every peer name is valid, and ordinary node names are kept as they are", () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?$/);
    fc.assert(
        fc.property(
            label,
            label,
            fc.oneof(anyText, fc.string({ minLength: 200, maxLength: 400 })),
            (mesh, cluster, segment) => {
                const name = peerName(mesh, cluster, segment);
                holds(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name), name);
                holds(name.length <= 253, name);
            },
        ),
        runs,
    );
    fc.assert(
        fc.property(label, label, fc.array(label, { minLength: 1, maxLength: 4 }), (mesh, cluster, parts) => {
            const name = parts.join(".");
            holds(peerName(mesh, cluster, name) === `${mesh}--${cluster}--${name}`, name);
        }),
        runs,
    );
});

test("issues have one order", () => {
    const issue = fc.record({
        code: fc.constantFrom("NodeStale" as const, "NatToNat" as const),
        severity: fc.constantFrom("error" as const, "info" as const),
        path: fc.constantFrom("clusters[2]", "clusters[10]", "clusters[10].a[1]", "a", ""),
        message: fc.constantFrom("x", "y"),
        fix: fc.constant("f"),
    });
    fc.assert(
        fc.property(fc.array(issue), (list) => {
            const paths = sortIssues(list).map(({ path }) => path);
            const key = (path: string) => path.replace(/\d+/g, (n) => n.padStart(6, "0"));
            for (const [i, path] of paths.entries()) holds(i === 0 || key(paths[i - 1]!) <= key(path), path);
        }),
        runs,
    );
});
