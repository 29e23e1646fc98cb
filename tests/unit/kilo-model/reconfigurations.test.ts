import { DataPlane } from "../../support/kilo-model/data-plane";
import type { Options } from "../../support/kilo-model/options";
import { added, at, cluster, endpointOf, modified, node, pair, peer, peerWithoutEndpoint, pod, podsOf } from "./world";

/** Each reconfiguration ends all sessions of a node (docs/kilo.md): what causes one, and what does not. */

const natted: Options = { natted: ({ cluster: name }) => name === "b" };

describe("every 30 seconds", () => {
    const checks = (plane: DataPlane, traffic = false): number => {
        const before = plane.reconfigurations("a").a1!;
        for (let check = 0; check < 3; check++) {
            if (traffic) plane.exchangeAll();
            plane.resync("a");
        }
        return plane.reconfigurations("a").a1! - before;
    };

    test("nothing is reconfigured in a mesh that is right", () => {
        expect(checks(new DataPlane(pair()), true)).toBe(0);
    });

    test("E1: host bits are", () => {
        const plane = new DataPlane({ a: cluster([node("a1")], [peer("b1", { allowedIPs: ["10.9.0.1/16"] })]) });
        expect(checks(plane)).toBe(3);
    });

    test("E17: a network shared with a node of the cluster itself is", () => {
        const { b } = pair();
        const shared = peer("b1", { allowedIPs: [podsOf("b1"), "10.101.0.2/32"] });
        expect(checks(new DataPlane({ a: cluster([node("a1"), node("a2")], [shared]), b }))).toBe(3);
    });

    test("E15: a learnt endpoint is wiped where the Peer has neither endpoint nor keepalive", () => {
        const a = cluster([node("a1")], [peerWithoutEndpoint("b1")]);
        const plane = new DataPlane({ ...pair(), a });
        expect(plane.exchange(pod("b1"), pod("a1"))).toMatchObject({ reason: "learnt-endpoint-wiped" });
        expect(plane.wireguard("a", "a1").peers[0]?.endpoint).toBe(`${endpointOf("b1")}:51820`);
        plane.resync("a");
        expect(plane.wireguard("a", "a1").peers[0]?.endpoint).toBeUndefined();
        expect(checks(plane, true)).toBe(3);
    });

    test("E15: it stays where the Peer has a keepalive", () => {
        const a = cluster([node("a1")], [peerWithoutEndpoint("b1", { persistentKeepalive: 25 })]);
        const plane = new DataPlane({ ...pair(), a }, natted);
        expect(checks(plane, true)).toBe(0);
        expect(plane.wireguard("a", "a1").peers[0]?.endpoint).toBeDefined();
    });

    test("an endpoint that NAT moved is set back where the Peer's keepalive is 0", () => {
        expect(checks(new DataPlane(pair(), natted), true)).toBe(3);
    });
});

describe("what a write costs", () => {
    test("every effective change of one Peer reconfigures every node that has tunnels, once", () => {
        const { b } = pair();
        const plane = new DataPlane({ a: cluster([node("a1"), node("a2")], []), b });
        plane.apply("a", added(peer("b1")));
        plane.apply("a", added(peer("c1")));
        expect(plane.reconfigurations("a")).toEqual({ a1: 2, a2: 2 });
        expect(plane.reconfigurations("b")).toEqual({ b1: 0 });
    });

    test("labels and annotations cost nothing", () => {
        const plane = new DataPlane(pair());
        plane.apply("a", modified(peer("b1")));
        expect(plane.reconfigurations("a")).toEqual({ a1: 0 });
    });

    test("in a location only the leader is reconfigured", () => {
        const member = (name: string) => node(name, { annotations: { granularity: "location" } });
        const plane = new DataPlane({ a: cluster([member("a1"), member("a2")], []) });
        plane.apply("a", added(peer("b1")));
        expect(plane.reconfigurations("a")).toEqual({ a1: 1, a2: 0 });
    });

    test("an observed NAT endpoint that is adopted costs nothing", () => {
        const open = { persistentKeepalive: 25 };
        const plane = new DataPlane({ ...pair(), a: cluster([node("a1")], [peerWithoutEndpoint("b1", open)]) }, natted);
        plane.exchange(pod("b1"), pod("a1"));
        const [ip, port] = plane.wireguard("a", "a1").peers[0]!.endpoint!.split(":") as [string, string];
        plane.apply("a", modified(peer("b1", { ...open, endpoint: at(ip, Number(port)) })));
        expect(plane.reconfigurations("a")).toEqual({ a1: 0 });
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ ok: true });
    });
});

test("an endpoint that was learnt and is then written reconfigures nobody, and no check sets it back", () => {
    const moved = endpointOf("b2");
    const { a } = pair();
    const b = cluster([node("b1", { annotations: { endpoint: `${moved}:51820` } })], [peer("a1")]);
    const plane = new DataPlane({ a, b });
    expect(plane.exchange(pod("a1"), pod("b1"))).toMatchObject({ ok: false, reason: "roaming-reset" });
    plane.apply("a", modified(peer("b1", { endpoint: at(moved) })));
    plane.resync("a");
    expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ ok: true });
    expect(plane.reconfigurations("a")).toEqual({ a1: 0 });
});
