import { sharePeers, unsharePeers } from "../../../provider/state/shared-peers";
import { UNKNOWN } from "../../../provider/values/unknown";

const HUB = "edge--hub--n1 <key> 192.0.2.1:51820 10.1.0.0/24";
const HUB_WITHOUT_ENDPOINT = "edge--hub--n1 <key> keepalive=25 10.1.0.0/24";

const back = ({ sources, peers }: ReturnType<typeof sharePeers<string>>) =>
    Object.fromEntries(
        Object.entries(peers).map(([target, lines]) => [target, unsharePeers(lines, (source) => sources[source])]),
    );

test("peers that several targets have are held once, and each target gets all of its own back", () => {
    const targets = {
        berlin: { hub: HUB, oslo: "edge--oslo--n1 <key> 10.3.0.0/24" },
        hub: { berlin: "edge--berlin--n1 <key> 10.2.0.0/24" },
        paris: { hub: HUB_WITHOUT_ENDPOINT },
        tokyo: { hub: HUB },
    };
    const shared = sharePeers(targets);
    expect(shared.sources).toEqual({ hub: HUB, berlin: targets.hub.berlin, oslo: targets.berlin.oslo });
    expect(shared.peers.berlin!.hub).toBe(shared.peers.tokyo!.hub);
    expect(shared.peers.berlin!.hub!.length).toBeLessThan(HUB.length);
    expect(shared.peers.paris).toEqual(targets.paris);
    expect(back(shared)).toEqual(targets);
});

test("every target that gets a changed peer is seen to change, and no other", () => {
    const before = sharePeers({ berlin: { hub: HUB }, tokyo: { hub: HUB }, oslo: { hub: HUB_WITHOUT_ENDPOINT } }).peers;
    const after = sharePeers({
        berlin: { hub: `${HUB} ` },
        tokyo: { hub: `${HUB} ` },
        oslo: { hub: HUB_WITHOUT_ENDPOINT },
    }).peers;
    expect(after.berlin).not.toEqual(before.berlin);
    expect(after.tokyo).not.toEqual(before.tokyo);
    expect(after.oslo).toEqual(before.oslo);
});

test("a source that is not known yet stays unknown in each target, and is never held for them", () => {
    const targets = { berlin: { hub: UNKNOWN, oslo: HUB }, tokyo: { hub: UNKNOWN, oslo: HUB } };
    const shared = sharePeers(targets);
    expect(Object.keys(shared.sources)).toEqual(["oslo"]);
    expect(back(shared)).toEqual(targets);
});

test("what a program does not know yet, an Output, is left in its place", () => {
    const late = { late: true };
    const { sources, peers } = sharePeers<string | object>({ berlin: { hub: late }, tokyo: { hub: late } });
    expect(sources).toEqual({});
    expect(peers.berlin!.hub).toBe(late);
});

test("peers whose text is not there are unknown, so that nothing is written or withdrawn for them", () => {
    const { peers } = sharePeers({ berlin: { hub: HUB }, tokyo: { hub: HUB } });
    expect(unsharePeers(peers.berlin, () => undefined)).toEqual({ hub: UNKNOWN });
    expect(unsharePeers(undefined, () => HUB)).toEqual({});
});
