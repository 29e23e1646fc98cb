import { isFresh, isKept, leaderOrder } from "../../../provider/kilo/leader";
import type { KnownNode } from "../../../provider/kilo/types";
import { key } from "../../support/keys";

const at = (name: string, more: Partial<KnownNode> = {}): KnownNode => {
    return { name, podCIDRs: [], internalIPs: [], externalIPs: [], kiloEndpoint: "10.0.0.1:1", ...more };
};

test("where no node is ready the leader stays, even if another one has the annotation and a public endpoint", () => {
    const before = at("b", { key: key(2), stale: true });
    const other = at("a", { key: key(1), stale: true, leader: true, kiloEndpoint: "203.0.113.1:1" });
    expect(leaderOrder([other, before], { incumbent: key(2) })).toEqual([before, other]);
    expect(leaderOrder([other, before])).toEqual([other, before]);
});

test("a node of which only the WireGuard address is missing is as ready as any: Kilo does not ask for it", () => {
    expect(isFresh(at("a", { kept: ["wireguard-ip"] }))).toBe(true);
    expect(isKept(at("a", { kept: ["wireguard-ip"] }))).toBe(false);
    expect(isFresh(at("a", { kept: ["wireguard-ip", "key"] }))).toBe(false);
});
