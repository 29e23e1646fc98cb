import { assess } from "../../../../cli/assess";
import type { Finding } from "../../../../cli/doctor/finding";
import { doctorReport } from "../../../../cli/doctor/report";
import { readPeer } from "../../../../provider/kilo/peer";
import type { KubePeer } from "../../../../provider/kilo/types";
import { publicKey } from "../../../../tools/clusters/node-spec";
import { healthy, type Scenario, withCluster } from "./scenario";

export const report = ({ mesh, sight }: Scenario) =>
    doctorReport(assess(mesh, sight), { cwd: "/srv", file: "prod.yaml" });

/** What is found besides what no API tells, and the notice that is there for every node without a keepalive. */
export const findings = (scenario: Scenario): readonly Finding[] =>
    report(scenario).findings.filter(
        ({ code }) => !["MtuNotVisible", "VersionNotVisible", "SlowAfterChanges"].includes(code),
    );

/** The scenario with one more peer in the hub, which is not of the mesh. */
export const withPeer = (name: string, given: KubePeer["spec"], scenario = healthy()): Scenario => {
    const spec = {
        allowedIPs: ["10.200.1.0/24"],
        publicKey: publicKey("elsewhere", name),
        endpoint: { dnsOrIP: { ip: "198.51.100.9" }, port: 51820 },
        ...given,
    };
    const peer = readPeer({ metadata: { name, uid: name }, spec })!;
    return withCluster(scenario, "hub", (found) => ({ ...found, peers: [...found.peers, peer] }));
};
