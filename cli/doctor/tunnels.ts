import { kiloSegments } from "../../provider/kilo/kilo-segments";
import { readHandshakes } from "../../provider/kilo/observations";
import { few } from "../../provider/values/show";
import type { Sight } from "../sight";
import type { Inspection } from "./context";
import { quoted } from "./kubectl";

/** Traces to the node with that key, where it could be read. */
function whatToRun(from: string, key: string, { clusters }: Sight): readonly string[] {
    for (const [cluster, found] of Object.entries(clusters)) {
        const node = found.state === "seen" ? found.nodes.find((each) => each.key === key) : undefined;
        if (node !== undefined) return ["trace", quoted(from), quoted(`${cluster}/${node.name}`)];
    }
    return ["status"];
}

/** One node that reaches nobody, beside others that do. Where all are silent nothing may have been sent yet. */
export const tunnels: Inspection = ({ spec, seen, assessment: { plan, peers, sight }, ourselves }) => {
    const here = peers.flatMap(({ target, live }) => (target === spec.name && live !== undefined ? [live] : []));
    const meshed = new Set(
        Object.values(plan.targets).flatMap((target) =>
            [...(target.peers.get(spec.name)?.values() ?? [])].map((peer) => peer.spec.publicKey),
        ),
    );
    const handshakes = readHandshakes(seen.found.nodes);
    const ends = kiloSegments(seen.nodes, sight.resolved).flatMap(({ leader }) =>
        meshed.has(leader.key ?? "") ? [leader.name] : [],
    );
    const silent = ends.filter((node) => !here.some((peer) => handshakes.get(node)?.has(peer.spec.publicKey) === true));
    if (here.length === 0 || silent.length === 0 || silent.length === ends.length) return [];
    return [
        {
            check: "tunnels",
            cluster: spec.name,
            code: "TunnelsNotSeen",
            severity: "warning",
            what: `no tunnel of ${few(silent)} was seen, while other nodes of the cluster had some`,
            why: "a firewall may drop UDP of that node (port 51820 unless it says otherwise); a tunnel without traffic is not seen either",
            next: ourselves(...whatToRun(`${spec.name}/${silent[0]}`, here[0]!.spec.publicKey, sight)),
        },
    ];
};
