import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isInside } from "./networks";

/** What your organization decides. */
export const RULES = {
    /** Networks that may be routed between clusters. */
    networks: ["10.0.0.0/8", "172.16.0.0/12", "fd00::/8"],
    /** Stacks, as project/stack, that may take over peers which somebody else made. */
    adopters: ["network/production"],
} as const;

/** From TypeScript, and from every other language. */
const PEER_SETS: readonly string[] = [
    "pulumi-nodejs:dynamic/kilo-clustermesh:PeerSet",
    "kilo-clustermesh:index:PeerSet",
];

type Lines = Readonly<Record<string, string>>;

/** One line each: key, endpoint, keepalive, and at its end the networks. From 500 peers on a source is one text. */
function peersIn(peers: unknown): readonly (readonly [string, string])[] {
    return Object.values((peers ?? {}) as Record<string, string | Lines>).flatMap((source) =>
        typeof source === "string"
            ? source.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), line] as const)
            : Object.entries(source),
    );
}

export const networks = {
    name: "mesh-networks",
    description: "A mesh routes only the networks that are meant for it.",
    enforcementLevel: "mandatory",
    validateResource: ({ type, props }, reportViolation) => {
        if (!PEER_SETS.includes(type)) return;
        for (const [name, line] of peersIn(props.peers)) {
            const routed = line.slice(line.lastIndexOf(" ") + 1).split(",");
            const outside = routed.filter((network) => !RULES.networks.some((allowed) => isInside(network, allowed)));
            if (outside.length > 0) {
                reportViolation(
                    `${name} in ${props.cluster} routes ${outside.join(", ")}: allowed are ${RULES.networks.join(", ")}`,
                );
            }
        }
    },
} satisfies ResourceValidationPolicy;

export const adoption = {
    name: "mesh-adoption",
    description: "Peers that somebody else made are taken over only where that was agreed.",
    enforcementLevel: "mandatory",
    validateResource: ({ type, props, urn }, reportViolation) => {
        const adopted = Object.keys((props.adopt ?? {}) as Lines);
        if (!PEER_SETS.includes(type) || adopted.length === 0) return;
        const [stack, project] = urn.replace(/^urn:pulumi:/, "").split("::");
        if (RULES.adopters.some((allowed) => allowed === `${project}/${stack}`)) return;
        reportViolation(
            `${project}/${stack} would take over ${adopted.join(", ")} in ${props.cluster}: ask the network team`,
        );
    },
} satisfies ResourceValidationPolicy;
