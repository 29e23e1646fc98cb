import { Address4 } from "ip-address";
import { clusterNetworks, MAX_CLUSTERS, MAX_NODES, nodeAddresses } from "../../../../tools/clusters/networks";
import fc from "../../../support/chance";

const range = (cidr: string): [bigint, bigint] => {
    const address = new Address4(cidr);
    return [address.startAddress().bigInt(), address.endAddress().bigInt()];
};
const disjoint = (left: string, right: string) => {
    const [[a, b], [c, d]] = [range(left), range(right)];
    return b < c || d < a;
};
const inside = (inner: string, outer: string) => {
    const [[a, b], [c, d]] = [range(inner), range(outer)];
    return c <= a && b <= d;
};
const clusters = fc.integer({ min: 0, max: MAX_CLUSTERS - 1 });
const nodes = fc.integer({ min: 1, max: MAX_NODES });

test("no two ranges of any clusters share an address", () => {
    const all = Array.from({ length: MAX_CLUSTERS }, (_, index) => Object.values(clusterNetworks(index))).flat();
    const sorted = all.map(range).sort(([a], [b]) => (a < b ? -1 : 1));
    for (let at = 1; at < sorted.length; at++) expect(sorted[at]![0]).toBeGreaterThan(sorted[at - 1]![1]);
});

test("a node's addresses lie in the ranges of its cluster", () => {
    fc.assert(
        fc.property(clusters, nodes, (cluster, node) => {
            const networks = clusterNetworks(cluster);
            const own = nodeAddresses(cluster, node);
            expect(inside(own.podCIDR, networks.podCIDR)).toBe(true);
            expect(inside(own.wireguardIP.replace("/16", "/32"), networks.wireguardCIDR)).toBe(true);
            expect(inside(`${own.internalIP}/32`, networks.nodeCIDR)).toBe(true);
        }),
    );
});

test("two nodes of a cluster never share a pod range, a WireGuard address or an internal address", () => {
    fc.assert(
        fc.property(clusters, nodes, nodes, (cluster, one, other) => {
            fc.pre(one !== other);
            const [left, right] = [nodeAddresses(cluster, one), nodeAddresses(cluster, other)];
            expect(disjoint(left.podCIDR, right.podCIDR)).toBe(true);
            expect(left.wireguardIP).not.toBe(right.wireguardIP);
            expect(left.internalIP).not.toBe(right.internalIP);
        }),
    );
});

test.each([-1, MAX_CLUSTERS, 1.5])("there is no cluster %d", (index) => {
    expect(() => clusterNetworks(index)).toThrow(`room for ${MAX_CLUSTERS} local clusters`);
});

test.each([0, MAX_NODES + 1, Number.NaN])("there is no node %d", (index) => {
    expect(() => nodeAddresses(0, index)).toThrow(`room for ${MAX_NODES} nodes`);
});
