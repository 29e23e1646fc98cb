import { startApiDouble } from "../../support/api-double";
import { PeerInvariants, type WatchedEvent } from "../../support/peer-invariants";

const event = (
    type: WatchedEvent["type"],
    name: string,
    publicKey: string,
    allowedIPs: string[],
    labels: Record<string, string> = {},
): WatchedEvent => ({ type, object: { metadata: { name, labels }, spec: { publicKey, allowedIPs } } });

function after(events: readonly WatchedEvent[], counts?: ConstructorParameters<typeof PeerInvariants>[0]): string[] {
    const invariants = new PeerInvariants(counts);
    for (const each of events) invariants.apply(each);
    return invariants.violations;
}

test("different keys and networks are fine, also when they move in the right order", () => {
    const events = [
        event("ADDED", "a", "k1", ["10.0.0.0/24", "2001:db8::/64"]),
        event("ADDED", "b", "k2", ["10.0.1.0/24", "2001:db8:0:1::/64"]),
        event("MODIFIED", "a", "k1", []),
        event("MODIFIED", "b", "k2", ["10.0.0.0/23"]),
        event("DELETED", "a", "k1", []),
        event("ADDED", "c", "k1", ["10.9.0.0/16"]),
        event("ADDED", "d", "k4", ["10.8.0.0/16", "10.8.1.0/24"]),
    ];
    expect(after(events)).toEqual([]);
});

test.each<[string, WatchedEvent[], string]>([
    [
        "one key on two peers",
        [event("ADDED", "a", "k", []), event("ADDED", "b", "k", [])],
        "event 2: b and a share the key",
    ],
    [
        "one network on two",
        [event("ADDED", "a", "1", ["10.0.0.0/24"]), event("ADDED", "b", "2", ["10.0.0.0/24"])],
        "event 2: b and a share 10.0.0.0/24",
    ],
    [
        "a network inside another's",
        [event("ADDED", "a", "1", ["10.0.0.0/16"]), event("ADDED", "b", "2", ["10.0.3.0/24"])],
        "event 2: b and a share 10.0.3.0/24",
    ],
    [
        "a network around another's",
        [event("ADDED", "a", "1", ["10.0.3.0/24"]), event("ADDED", "b", "2", ["10.0.0.0/16"])],
        "event 2: b and a share 10.0.0.0/16",
    ],
    [
        "everything",
        [event("ADDED", "a", "1", ["10.0.3.0/24"]), event("ADDED", "b", "2", ["0.0.0.0/0"])],
        "event 2: b and a share 0.0.0.0/0",
    ],
    [
        "IPv6",
        [event("ADDED", "a", "1", ["2001:db8::/32"]), event("ADDED", "b", "2", ["2001:db8:1::1/128"])],
        "event 2: b and a share 2001:db8:1::1/128",
    ],
    [
        "a grant before the withdrawal",
        [
            event("ADDED", "a", "1", ["10.0.0.0/24"]),
            event("ADDED", "b", "2", []),
            event("MODIFIED", "b", "2", ["10.0.0.0/24"]),
            event("MODIFIED", "a", "1", []),
        ],
        "event 3: b and a share 10.0.0.0/24",
    ],
    [
        "no network at all",
        [event("ADDED", "a", "1", ["10.0.0.0/33"])],
        "event 1: a has 10.0.0.0/33, which is no network",
    ],
])("%s is noted at the moment it happens", (_, events, violation) => {
    expect(after(events)).toEqual([violation]);
});

test("a clash among peers that do not count is not noted, one with a peer that counts is", () => {
    const ours = { ours: "yes" };
    const counts = (peer: WatchedEvent["object"]): boolean => peer.metadata.labels?.ours === "yes";
    const foreign = [event("ADDED", "a", "k", []), event("ADDED", "b", "k", [])];
    expect(after(foreign, counts)).toEqual([]);
    expect(after([...foreign, event("ADDED", "c", "k", [], ours)], counts)).toHaveLength(2);
});

test("it follows the double, write by write", async () => {
    const double = await startApiDouble();
    const invariants = new PeerInvariants();
    double.peers.onEvent(invariants.apply);
    const peer = (name: string) => ({
        apiVersion: "kilo.squat.ai/v1alpha1",
        kind: "Peer",
        metadata: { name },
        spec: { allowedIPs: ["10.0.0.0/24"], publicKey: "k" },
    });
    double.peers.create(peer("a"), true);
    double.peers.delete("a");
    double.peers.create(peer("b"), true);
    double.peers.patch("b", { spec: { persistentKeepalive: 1 } }, true);
    await double.close();
    expect([invariants.violations, invariants.events, [...invariants.names()]]).toEqual([[], 4, ["b"]]);
    expect(double.events.map(({ type }) => type)).toEqual(["ADDED", "DELETED", "ADDED", "MODIFIED"]);
});
