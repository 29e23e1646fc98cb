import type { PeerEndpoint } from "../../provider/kilo/types";
import { addressOf } from "../../provider/net/address";
import { contains, hostRoute, networkOf } from "../../provider/net/cidr";
import { byText, count, few } from "../../provider/values/show";
import type { Inspection, Member } from "./context";
import type { Finding } from "./finding";

/** Addresses that mean nothing outside one site. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"].map(
    (text) => networkOf(text)!,
);

const isPrivate = (ip: string): boolean => {
    const address = addressOf(ip);
    return address !== undefined && PRIVATE.some((network) => contains(network, hostRoute(address)));
};

/** How the other clusters reach this one. A handshake seen anywhere proves an address better than any rule. */
export const endpoints: Inspection = (member) => {
    const reached = endpointsOf(member);
    const unproven = reached.filter(({ ip, handshake }) => ip !== undefined && isPrivate(ip) && !handshake);
    const named = reached.filter(({ dns }) => dns !== undefined);
    const base = { check: "endpoints", cluster: member.spec.name } as const;
    const findings: Finding[] = [];
    if (unproven.length > 0) {
        findings.push({
            ...base,
            code: "EndpointPrivate",
            severity: "warning",
            what: `${count(unproven.length, "endpoint")} in a private range and no handshake seen: ${few(unproven.map(({ host }) => host))}`,
            why: "the other clusters dial this address; across sites it leads nowhere unless something routes it",
            next: member.asAdmin("annotate", "node", "NODE", "kilo.squat.ai/clustermesh-endpoint=PUBLIC-IP:51820"),
        });
    }
    if (named.length > 0) {
        findings.push({
            ...base,
            code: "EndpointByName",
            severity: "info",
            what: `${count(named.length, "endpoint")} given by DNS name: ${few(named.map(({ host }) => host))}`,
            why: "Kilo resolves a name once, and again only when the peer changes or Kilo restarts; one that fails stops all its configuration",
            next: member.kubectl("get", "nodes", "-o", "wide"),
        });
    }
    return findings;
};

type Reached = PeerEndpoint["dnsOrIP"] & { readonly host: string; readonly handshake: boolean };

/** One entry per endpoint, however many clusters are told of it. */
function endpointsOf({ spec, assessment }: Member): readonly Reached[] {
    const proven = new Set(assessment.peers.filter(({ handshake }) => handshake).map(({ name }) => name));
    const found = new Map<string, Reached>();
    for (const { name, source, wanted } of assessment.peers) {
        const endpoint = wanted?.spec.endpoint;
        if (source !== spec.name || endpoint === undefined) continue;
        const { ip, dns } = endpoint.dnsOrIP;
        const host = ip ?? dns ?? "";
        found.set(host, { ...endpoint.dnsOrIP, host, handshake: proven.has(name) });
    }
    return [...found.values()].sort((a, b) => byText(a.host, b.host));
}
