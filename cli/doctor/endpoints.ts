import { addressOf } from "../../provider/net/address";
import { contains, hostRoute, networkOf } from "../../provider/net/cidr";
import { SOURCE_LABEL } from "../../provider/values/labels";
import { counted } from "../render/visible";
import type { Examination, Patient } from "./context";
import type { Finding } from "./finding";
import { few } from "./words";

/** Addresses that mean nothing outside one site. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"].map(
    (text) => networkOf(text)!,
);

const isPrivate = (ip: string): boolean => {
    const address = addressOf(ip);
    return address !== undefined && PRIVATE.some((network) => contains(network, hostRoute(address)));
};

/** How the other clusters reach this one. A handshake seen anywhere proves an address better than any rule. */
export const endpoints: Examination = (patient) => {
    const planned = peersOf(patient);
    const silent = planned.filter(({ ip, handshake }) => ip !== undefined && isPrivate(ip) && !handshake);
    const named = planned.filter(({ dns }) => dns !== undefined);
    const base = { check: "endpoints", cluster: patient.spec.name } as const;
    const next = patient.kubectl("get", "nodes", "-o", "wide");
    const findings: Finding[] = [];
    if (silent.length > 0) {
        findings.push({
            ...base,
            code: "EndpointPrivate",
            severity: "warning",
            what: `${counted(silent.length, "endpoint")} in a private range and no handshake seen: ${few(silent)}`,
            why: "the other clusters dial this address; across sites it leads nowhere unless something routes it",
            next: patient.administer("annotate", "node", "NODE", "kilo.squat.ai/clustermesh-endpoint=PUBLIC-IP:51820"),
        });
    }
    if (named.length > 0) {
        findings.push({
            ...base,
            code: "EndpointByName",
            severity: "info",
            what: `${counted(named.length, "endpoint")} given by DNS name: ${few(named)}`,
            why: "Kilo resolves a name once, and again only when the peer changes or Kilo restarts; one that fails stops all its configuration",
            next,
        });
    }
    return findings;
};

interface Reached {
    readonly name: string;
    readonly ip?: string;
    readonly dns?: string;
    readonly handshake: boolean;
}

/** One entry per endpoint, however many clusters are told of it. */
function peersOf({ spec, assessment }: Patient): readonly Reached[] {
    const seen = new Set(assessment.peers.filter(({ handshake }) => handshake).map(({ name }) => name));
    const found = new Map<string, Reached>();
    for (const peers of Object.values(assessment.plan.peers)) {
        for (const [name, peer] of Object.entries(peers)) {
            const { endpoint } = peer.spec;
            if (peer.labels[SOURCE_LABEL] !== spec.name || endpoint === undefined) continue;
            const { ip, dns } = endpoint.dnsOrIP;
            const host = ip ?? dns ?? "";
            found.set(host, {
                name: host,
                ...(ip === undefined ? {} : { ip }),
                ...(dns === undefined ? {} : { dns }),
                handshake: seen.has(name),
            });
        }
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
