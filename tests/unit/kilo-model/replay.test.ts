import { DataPlane } from "../../support/kilo-model/data-plane";
import type { Options } from "../../support/kilo-model/options";
import {
    added,
    at,
    cluster,
    deleted,
    endpointOf,
    keyOf,
    modified,
    named,
    node,
    pair,
    peer,
    peerWithoutEndpoint,
    pod,
    podsOf,
} from "./world";

/** Facts of docs/kilo.md about what agents make of a sequence of writes, and what they do not pick up. */

const OK = { ok: true };

/** Node a1 with Peers for single nodes of other clusters, whose names are sorted by key. */
const names = ["b1", "c1", "d1"].sort((x, y) => (keyOf(x) < keyOf(y) ? -1 : 1));
const [first, second, third] = names as [string, string, string];

function star(peers: readonly ReturnType<typeof peer>[], options?: Options): DataPlane {
    const others = names.map((name) => [name.charAt(0), cluster([node(name)], [peer("a1")])]);
    return new DataPlane({ a: cluster([node("a1")], peers), ...Object.fromEntries(others) }, options);
}

describe("E3: a name without an address", () => {
    test("leaves everything as it was, and nothing new is taken up until it is gone", () => {
        const plane = star([peer(first)]);
        const frozen = peer("y1", { endpoint: named("gone.example") });
        plane.apply("a", added(frozen));
        plane.apply("a", added(peer(second)));
        expect(plane.reach(pod("a1"), pod(first))).toMatchObject(OK);
        expect(plane.reach(pod("a1"), pod(second))).toMatchObject({ reason: "no-route" });
        expect(plane.reconfigurations("a")).toEqual({ a1: 0 });
        plane.apply("a", deleted(frozen));
        expect(plane.reach(pod("a1"), pod(second))).toMatchObject(OK);
    });
});

describe("E4: an idle Peer without an endpoint", () => {
    const idle = peerWithoutEndpoint(second, { persistentKeepalive: 25 });
    const more = (name: string) => modified(peer(name, { allowedIPs: [podsOf(name), "172.20.0.0/24"] }));
    const networks = (plane: DataPlane, name: string) =>
        plane.wireguard("a", "a1").peers.find((found) => found.name === name)?.allowedIPs;

    test("hides changes of Peers whose key sorts after it: routes change, WireGuard does not", () => {
        const plane = star([peer(first), idle, peer(third)]);
        plane.apply("a", more(third));
        expect(plane.routes("a", "a1")).toHaveProperty(["172.20.0.0/24"], "tunnel");
        expect(networks(plane, third)).toEqual([podsOf(third)]);
        expect(plane.reach(pod("a1"), { cluster: third.charAt(0), address: "172.20.0.1" })).toMatchObject({
            reason: "no-wireguard-peer",
        });
        expect(plane.reconfigurations("a")).toEqual({ a1: 0 });
    });

    test("does not hide changes of those before it", () => {
        const plane = star([peer(first), idle, peer(third)]);
        plane.apply("a", more(first));
        expect(networks(plane, first)).toContain("172.20.0.0/24");
    });

    test("hides nothing when the number of Peers changes, so delete and create is picked up", () => {
        const plane = star([peer(first), idle, peer(third)]);
        plane.apply("a", deleted(peer(third)));
        plane.apply("a", { ...more(third), type: "ADDED" });
        expect(networks(plane, third)).toContain("172.20.0.0/24");
        expect(plane.reconfigurations("a")).toEqual({ a1: 2 });
    });

    test("hides nothing once it was seen", () => {
        const plane = star([peer(first), idle, peer(third)]);
        expect(plane.exchange(pod(second), pod("a1"))).toMatchObject(OK);
        plane.apply("a", more(third));
        expect(networks(plane, third)).toContain("172.20.0.0/24");
    });
});

describe("E5: two Peers with one key", () => {
    const twin = peer("b1", { name: "b1-services", allowedIPs: ["10.96.0.0/16"] });

    test("the later takes the place of the earlier, whose networks vanish", () => {
        const plane = new DataPlane(pair());
        plane.apply("a", added(twin));
        expect(plane.wireguard("a", "a1").peers.map(({ name }) => name)).toEqual(["b1-services"]);
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "no-route" });
    });

    test("deleting either takes the key away, until the other is written again", () => {
        const plane = new DataPlane(pair());
        plane.apply("a", added(twin));
        plane.apply("a", deleted(twin));
        expect(plane.wireguard("a", "a1").peers).toEqual([]);
        plane.apply("a", modified(peer("b1")));
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("or until five minutes pass", () => {
        const plane = new DataPlane(pair());
        plane.apply("a", added(twin));
        plane.apply("a", deleted(twin));
        plane.redeliver("a");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });
});

test("E6b: a name is resolved once, and again only when the specification changes or the agent restarts", () => {
    let address = endpointOf("b1");
    const byName = peer("b1", { endpoint: named("b.example") });
    const { b } = pair();
    const plane = new DataPlane({ a: cluster([node("a1")], [byName]), b }, { resolve: () => address });
    const endpoint = () => plane.wireguard("a", "a1").peers[0]?.endpoint;
    address = "203.0.113.7";
    plane.resync("a");
    plane.apply("a", modified({ ...byName, metadata: { name: "b1" } }));
    expect(endpoint()).toBe(`${endpointOf("b1")}:51820`);
    plane.apply("a", modified(peer("b1", { endpoint: named("b.example", 51821) })));
    expect(endpoint()).toBe("203.0.113.7:51821");
    address = "203.0.113.8";
    plane.restart("a", "a1");
    expect(endpoint()).toBe("203.0.113.8:51821");
});

test("E7: deleting a Peer with the node's own pod network does not bring that network back", () => {
    const plane = new DataPlane(pair());
    const thief = peer("y1", { allowedIPs: [podsOf("a1")] });
    expect(plane.reach(pod("b1"), pod("a1"))).toMatchObject(OK);
    plane.apply("a", added(thief));
    plane.apply("a", deleted(thief));
    expect(plane.reach(pod("b1"), pod("a1"))).toMatchObject({ reason: "own-network-replaced" });
});

describe("E10: Peers that are not valid", () => {
    const broken = peer("b1", { allowedIPs: ["10.2.1.0"] });

    test("from valid to invalid keeps the old configuration, and deleting it then leaves it until a restart", () => {
        const plane = new DataPlane(pair());
        plane.apply("a", modified(broken));
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
        plane.apply("a", deleted(broken));
        plane.redeliver("a");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
        plane.restart("a", "a1");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "no-route" });
    });

    test("from invalid to valid is ignored until another write", () => {
        const { a, b } = pair();
        const plane = new DataPlane({ a: { ...a, peers: [broken] }, b });
        plane.apply("a", modified(peer("b1")));
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "no-route" });
        plane.apply("a", modified(peer("b1")));
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("or until five minutes pass", () => {
        const { a, b } = pair();
        const plane = new DataPlane({ a: { ...a, peers: [broken] }, b });
        plane.apply("a", modified(peer("b1")));
        plane.redeliver("a");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
    });

    test("a delete that only a new list shows is missed as well", () => {
        const plane = new DataPlane(pair());
        plane.missDeletion("a", "b1");
        plane.redeliver("a");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
        plane.restart("a", "a1");
        expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "no-route" });
    });
});

test("E13: a network is back as soon as the stale Peer that sorts first is gone", () => {
    const stale = peer("b9", { name: "a-stale", allowedIPs: [podsOf("b1")] });
    const plane = new DataPlane(pair());
    plane.apply("a", added(stale));
    expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "nobody-has-key" });
    plane.apply("a", deleted(stale));
    expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject(OK);
});

describe("E19: the endpoint of a Peer with a keepalive", () => {
    const roaming = (ip: string, persistentKeepalive = 25) => peer("b1", { endpoint: at(ip), persistentKeepalive });
    const moved = "203.0.113.50";
    const plane = () => {
        const made = new DataPlane({ ...pair(), a: cluster([node("a1"), node("a2")], [roaming(endpointOf("b1"))]) });
        made.exchange(pod("a1"), pod("b1"));
        return made;
    };
    const endpoint = (made: DataPlane, name = "a1") =>
        made.wireguard("a", name).peers.find(({ key }) => key === keyOf("b1"))?.endpoint;

    test("is ignored by a patch once there was a handshake, seen by another node too", () => {
        const made = plane();
        made.apply("a", modified(roaming(moved)));
        expect([endpoint(made), endpoint(made, "a2")]).toEqual(Array(2).fill(`${endpointOf("b1")}:51820`));
        expect(made.reconfigurations("a")).toEqual({ a1: 0, a2: 0 });
    });

    test("is taken by a patch that sets the keepalive to 0", () => {
        const made = plane();
        made.apply("a", modified(roaming(moved, 0)));
        expect(endpoint(made)).toBe(`${moved}:51820`);
    });

    test("is taken after delete and create", () => {
        const made = plane();
        made.apply("a", deleted(roaming(endpointOf("b1"))));
        made.apply("a", added(roaming(moved)));
        expect([endpoint(made), endpoint(made, "a2")]).toEqual(Array(2).fill(`${moved}:51820`));
    });

    test("is taken by a patch while there was no handshake", () => {
        const made = new DataPlane({ ...pair(), a: cluster([node("a1")], [roaming(endpointOf("b1"))]) });
        made.apply("a", modified(roaming(moved)));
        expect(endpoint(made)).toBe(`${moved}:51820`);
    });

    test("is ignored as well where only an annotation tells of the handshake", () => {
        const seen = JSON.stringify({ [keyOf("b1")]: { IP: endpointOf("b1"), Port: 51820, Zone: "" } });
        const watching = node("a2", { annotations: { "discovered-endpoints": seen } });
        const made = new DataPlane({ ...pair(), a: cluster([node("a1"), watching], [roaming(moved)]) });
        expect(endpoint(made)).toBe(`${endpointOf("b1")}:51820`);
    });
});

test("E21: patching key and endpoint of a Peer in place moves the tunnel", () => {
    const b = cluster([node("b1"), node("b2")], [peer("a1")]);
    const plane = new DataPlane({ ...pair(), b });
    plane.exchangeAll();
    plane.apply("a", modified(peer("b2", { name: "b1" })));
    expect(plane.reach(pod("a1"), pod("b2"))).toMatchObject(OK);
    expect(plane.reach(pod("a1"), pod("b1"))).toMatchObject({ reason: "no-route" });
    expect(plane.reconfigurations("a")).toEqual({ a1: 1 });
});
