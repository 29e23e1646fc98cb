import type { KnownNode } from "../../provider/kilo/types";
import { howLong } from "../../provider/values/how-long";
import { count, few } from "../../provider/values/show";
import type { Inspection } from "./context";
import type { Finding } from "./finding";
import { quoted } from "./kubectl";

const KILO_PODS = ["-n", "kube-system", "get", "pods", "-l", "app.kubernetes.io/name=kilo", "-o", "wide"] as const;

const nameOf = ({ name }: KnownNode): string => name;

/** Kilo has written nothing on it. */
const isBare = ({ key, granularity, kiloEndpoint }: KnownNode): boolean =>
    key === undefined && granularity === undefined && kiloEndpoint === undefined;

export const annotations: Inspection = ({ spec, seen: { nodes }, kubectl, asAdmin }) => {
    const base = { check: "Kilo annotations", cluster: spec.name } as const;
    if (nodes.length === 0) {
        return [
            {
                ...base,
                code: "NoNodes",
                severity: spec.allowEmpty === true ? "info" : "warning",
                what: "the cluster lists no nodes",
                why: "it adds nothing to the mesh; a stack that knew nodes of it keeps their peers",
                next: kubectl("get", "nodes"),
            },
        ];
    }
    const bare = nodes.filter(isBare);
    if (bare.length === 0) return [];
    return [
        {
            ...base,
            code: "NodeWithoutKilo",
            severity: bare.length === nodes.length ? "error" : "warning",
            what: `${count(bare.length, "node")} of ${nodes.length} without Kilo's annotations: ${few(bare.map(nameOf))}`,
            why: "no Kilo agent runs on them, so they cannot be meshed; a restart of Kilo looks like this for a second",
            next: asAdmin(...KILO_PODS),
        },
    ];
};

const KNOWN = new Set(["full", "location", "cross"]);

export const granularity: Inspection = ({ spec, seen: { nodes }, kubectl, asAdmin }) => {
    const alive = nodes.filter((node) => !isBare(node));
    const values = [...new Set(alive.map((node) => node.granularity ?? ""))].sort();
    const base = { check: "granularity", cluster: spec.name } as const;
    const next = kubectl(
        "get",
        "nodes",
        "-o",
        "'custom-columns=NODE:.metadata.name,GRANULARITY:.metadata.annotations.kilo\\.squat\\.ai/granularity'",
    );
    const findings: Finding[] = [];
    if (values.length > 1) {
        findings.push({
            ...base,
            code: "GranularityMixed",
            severity: "warning",
            what: `its nodes do not agree: ${values.map((value) => value || "none").join(", ")}`,
            why: "Kilo's agents must all run with one --mesh-granularity; half-way through a change, links flap",
            next,
        });
    }
    for (const value of values.filter((each) => !KNOWN.has(each))) {
        findings.push({
            ...base,
            code: "GranularityUnknown",
            severity: "info",
            what:
                value === ""
                    ? "Kilo does not say its granularity"
                    : `${JSON.stringify(value)} is not a granularity that Kilo knows`,
            why: "the mesh then has one peer per node, which is wrong for a cluster with location granularity",
            next,
        });
    }
    if (values.includes("cross")) {
        findings.push({
            ...base,
            code: "GranularityCross",
            severity: "info",
            what: "granularity cross: a patched Kilo, upstream does not have it",
            why: "its agents behave as their patch says; the mesh treats every node as a segment",
            next: asAdmin("-n", "kube-system", "get", "daemonset", "kilo", "-o", "wide"),
        });
    }
    return findings;
};

const date = (seconds: number): Date => new Date(seconds * 1000);

export const lastSeen: Inspection = ({ spec, seen: { nodes, found }, asAdmin }) => {
    const stale = nodes.filter((node) => node.stale === true).map(nameOf);
    if (stale.length === 0) return [];
    const now = found.at === undefined ? new Date() : date(found.at);
    const times = found.nodes
        .map(({ metadata }) => Number(metadata?.annotations?.["kilo.squat.ai/last-seen"]))
        .filter((seconds) => seconds > 0);
    const longest = times.length === 0 ? "" : `, the longest ${howLong(date(Math.min(...times)).toISOString(), now)}`;
    return [
        {
            check: "last seen",
            cluster: spec.name,
            code: "NodeStale",
            severity: "warning",
            what: `${count(stale.length, "node")} of ${nodes.length} not seen by Kilo for a minute or more${longest}: ${few(stale)}`,
            why:
                stale.length === nodes.length
                    ? "either Kilo does not run at all, or the clocks of the nodes and the API server differ"
                    : "Kilo takes such a node out of its own mesh after a minute, so peers that lead to it do not answer",
            next:
                stale.length === 1
                    ? asAdmin(...KILO_PODS, "--field-selector", quoted(`spec.nodeName=${stale[0]}`))
                    : asAdmin(...KILO_PODS),
        },
    ];
};

export const natKeepalive: Inspection = ({ spec, seen: { nodes }, asAdmin }) => {
    const passive = nodes.filter(({ dials }) => dials !== true).map(nameOf);
    if (spec.nat !== true || passive.length === 0) return [];
    return [
        {
            check: "NAT keepalive",
            cluster: spec.name,
            code: "NatWithoutKeepalive",
            severity: "warning",
            what: `the cluster is declared nat, but ${count(passive.length, "node")} of ${nodes.length} would not dial by themselves: ${few(passive)}`,
            why: "nobody can dial a node behind NAT; without kilo.squat.ai/persistent-keepalive the tunnel opens only when the node itself has something to send",
            next: asAdmin("annotate", "nodes", "--all", "kilo.squat.ai/persistent-keepalive=25"),
        },
    ];
};

/** docs/kilo.md: a change resets every session. Of clusters behind NAT `natKeepalive` tells. */
export const sessionKeepalive: Inspection = ({ spec, seen: { nodes }, asAdmin }) => {
    const passive = nodes.filter(({ dials }) => dials !== true).map(nameOf);
    if (spec.nat === true || passive.length === 0) return [];
    return [
        {
            check: "NAT keepalive",
            cluster: spec.name,
            code: "SlowAfterChanges",
            severity: "info",
            what: `${count(passive.length, "node")} of ${nodes.length} without kilo.squat.ai/persistent-keepalive: ${few(passive)}`,
            why: "a change of any peer makes Kilo reset all sessions of all nodes of that cluster; a flow that only asks is then silent for up to 15 s, with the annotation on all nodes mostly for 0.1 to 0.4 s",
            next: asAdmin("annotate", "nodes", "--all", "kilo.squat.ai/persistent-keepalive=25"),
        },
    ];
};
