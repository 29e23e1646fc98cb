import type { NodeFacts } from "../../provider/kilo/types";
import { isBare } from "../../provider/mesh/merge-facts";
import { howLong } from "../../provider/values/how-long";
import { counted } from "../render/visible";
import type { Examination } from "./context";
import type { Finding } from "./finding";
import { quoted } from "./kubectl";
import { few } from "./words";

const KILO_PODS = ["-n", "kube-system", "get", "pods", "-l", "app.kubernetes.io/name=kilo", "-o", "wide"] as const;

export const annotations: Examination = ({ spec, facts, kubectl, administer }) => {
    const base = { check: "Kilo annotations", cluster: spec.name } as const;
    if (facts.length === 0) {
        return [
            {
                ...base,
                code: "NoNodes",
                severity: spec.allowEmpty === true ? "info" : "warning",
                what: "the cluster lists no nodes",
                why: "it brings nothing into the mesh; a stack that knew nodes of it keeps them",
                next: kubectl("get", "nodes"),
            },
        ];
    }
    const bare = facts.filter(isBare);
    if (bare.length === 0) return [];
    return [
        {
            ...base,
            code: "NodeWithoutKilo",
            severity: bare.length === facts.length ? "error" : "warning",
            what: `${counted(bare.length, "node")} of ${facts.length} without Kilo's annotations: ${few(bare)}`,
            why: "no Kilo agent speaks for them, so they cannot be meshed; during a restart of Kilo this lasts a second",
            next: administer(...KILO_PODS),
        },
    ];
};

const KNOWN = new Set(["full", "location", "cross"]);

export const granularity: Examination = ({ spec, facts, kubectl, administer }) => {
    const alive = facts.filter((node) => !isBare(node));
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
                    : `${JSON.stringify(value)} is no granularity of Kilo`,
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
            next: administer("-n", "kube-system", "get", "daemonset", "kilo", "-o", "wide"),
        });
    }
    return findings;
};

const date = (seconds: number): Date => new Date(seconds * 1000);

export const lastSeen: Examination = ({ spec, facts, sight, assessment, administer }) => {
    const stale = facts.filter((node) => node.stale === true);
    if (stale.length === 0) return [];
    const ages = sight.nodes
        .map(({ metadata }) => Number(metadata?.annotations?.["kilo.squat.ai/last-seen"]))
        .filter((seen) => seen > 0 && assessment.sight.at - seen >= 60);
    const since = (seconds: number): string => howLong(date(seconds).toISOString(), date(assessment.sight.at));
    const oldest = ages.length === 0 ? "" : `, the longest ${since(Math.min(...ages))}`;
    return [
        {
            check: "last seen",
            cluster: spec.name,
            code: "NodeStale",
            severity: "warning",
            what: `${counted(stale.length, "node")} of ${facts.length} not seen by Kilo for a minute or more${oldest}: ${few(stale)}`,
            why:
                stale.length === facts.length
                    ? "either Kilo does not run at all, or the clocks of this machine and the cluster differ"
                    : "Kilo takes such a node out of its own mesh after a minute; peers that lead to it are dead ends",
            next:
                stale.length === 1
                    ? administer(...KILO_PODS, "--field-selector", quoted(`spec.nodeName=${stale[0]!.name}`))
                    : administer(...KILO_PODS),
        },
    ];
};

export const natKeepalive: Examination = ({ spec, sight, administer }) => {
    if (spec.nat !== true) return [];
    const silent = sight.nodes.filter(({ metadata }) => {
        const value = metadata?.annotations?.["kilo.squat.ai/persistent-keepalive"];
        return !(Number(value) > 0);
    });
    if (silent.length === 0) return [];
    const names = silent.map(({ metadata }): Pick<NodeFacts, "name"> => ({ name: metadata?.name ?? "" }));
    return [
        {
            check: "NAT keepalive",
            cluster: spec.name,
            code: "NatWithoutKeepalive",
            severity: "warning",
            what: `the cluster is declared nat, but ${counted(silent.length, "node")} of ${sight.nodes.length} would not dial by themselves: ${few(names)}`,
            why: "nobody can dial a node behind NAT; without kilo.squat.ai/persistent-keepalive the tunnel opens only when the node itself has something to send",
            next: administer("annotate", "nodes", "--all", "kilo.squat.ai/persistent-keepalive=25"),
        },
    ];
};
