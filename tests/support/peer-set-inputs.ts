import type { Props } from "../../provider/resources/host";
import { joinLines } from "../../provider/state/line-list";

export const CLAIM = "claim-1";

/** Of the peer set in the cluster `hub`. */
export const peerSetInputs = (peers: unknown, more: Props = {}): Props => ({
    resource: "peers",
    schemaVersion: 1,
    mesh: "edge",
    cluster: "hub",
    claim: CLAIM,
    owner: "org/proj/stack/edge",
    kubeconfig: "secret",
    requestTimeout: 10,
    deleteUnreachable: false,
    peers,
    ...more,
});

/** All peers are of one source, `spoke`. */
export const inputs = (peers: Readonly<Record<string, string>>, more: Props = {}): Props =>
    peerSetInputs({ spoke: joinLines(peers) }, more);
