import { readHandshakes } from "../../provider/kilo/observations";
import { tracer } from "../../provider/mesh/trace/trace";
import type { Break, Leg, Place } from "../../provider/mesh/trace/types";
import type { Assessment } from "../assess";
import { DEFAULT_FILE } from "../commands";
import type { Place as Here } from "../doctor/context";
import { asAdministrator, kubectl, quoted } from "../doctor/kubectl";
import { UsageError } from "../failure";
import type { SeenCluster } from "../sight";
import { placeOf, type Wanted } from "./place";

export interface PlaceView {
    readonly cluster: string;
    readonly node?: string;
    readonly address: string;
}

/**
 * - `seen`: the objects route it there and back, and both ends saw a handshake · `not seen`: the same without that
 * - `broken`: it does not get there, or its answer does not get back · `unknown`: a cluster could not be read
 */
export type Verdict = "seen" | "not seen" | "broken" | "unknown";

export interface TraceReport {
    readonly schemaVersion: 1;
    readonly command: "trace";
    readonly mesh: string;
    readonly verdict: Verdict;
    readonly from?: PlaceView;
    readonly to?: PlaceView;
    readonly there?: Leg;
    readonly back?: Leg;
    /** The first thing that breaks it. */
    readonly breaks?: Break & { readonly direction: "there" | "back" };
    /** Clusters of the mesh that could not be read. */
    readonly unread: readonly string[];
    /** The next command to run, ready to copy. */
    readonly next: string;
}

export function traceReport(
    assessment: Assessment,
    [wantedFrom, wantedTo]: readonly [Wanted, Wanted],
    here: Here,
): TraceReport {
    const { mesh, sight } = assessment;
    const seen = new Map(
        Object.entries(sight.clusters).flatMap(([name, each]) => (each.state === "seen" ? [[name, each]] : [])),
    );
    const base = {
        schemaVersion: 1,
        command: "trace",
        mesh: mesh.mesh,
        unread: mesh.clusters.flatMap(({ name }) => (seen.has(name) ? [] : name)),
    } as const;
    const [source, target] = [seen.get(wantedFrom.cluster), seen.get(wantedTo.cluster)];
    if (source === undefined || target === undefined) {
        return { ...base, verdict: "unknown", next: ourselves(here, "doctor") };
    }
    const from = placeOf(wantedFrom, source);
    const to = placeOf(wantedTo, target);
    const { node } = from;
    if (node === undefined) {
        throw new UsageError(
            `no node of ${from.cluster} has ${from.address.text}`,
            "Name a pod or a node of it: a packet starts there",
        );
    }
    const clusters = mesh.clusters.flatMap((spec) => {
        const found = seen.get(spec.name);
        return found === undefined ? [] : [[spec.name, traced(spec, found)] as const];
    });
    const trace = tracer({ ...sight, clusters: Object.fromEntries(clusters) });
    const { there, back, ok, seen: wasSeen } = trace({ ...from, node }, to);
    const [direction, breaks] = there.breaks ? (["there", there.breaks] as const) : (["back", back?.breaks] as const);
    return {
        ...base,
        verdict: ok ? (wasSeen ? "seen" : "not seen") : "broken",
        from: view(from),
        to: view(to),
        there,
        ...(back === undefined ? {} : { back }),
        ...(breaks === undefined ? {} : { breaks: { ...breaks, direction } }),
        next: breaks === undefined ? ping({ ...from, node }, to) : nextAfter(breaks, assessment, here),
    };
}

const traced = (spec: Assessment["mesh"]["clusters"][number], { nodes, peers, found }: SeenCluster) => ({
    ...{ spec, nodes, peers },
    handshakes: readHandshakes(found.nodes),
});

const view = ({ address, ...place }: Place): PlaceView => ({ ...place, address: address.text });

const ourselves = ({ file }: Here, ...args: readonly string[]): string =>
    ["npx kilo-clustermesh", ...args, ...(file === DEFAULT_FILE ? [] : ["-f", quoted(file)])].join(" ");

/** Only a packet proves that a tunnel works now. */
function ping({ cluster, node }: Place & { readonly node: string }, to: Place): string {
    const overrides = quoted(JSON.stringify({ spec: { nodeName: node } }));
    const pod = ["run", "trace", "--rm", "-it", "--restart=Never", "--image=busybox", `--overrides=${overrides}`];
    return asAdministrator(cluster, ...pod, "--", "ping", "-c", "3", to.address.text);
}

function nextAfter({ code, at, peer, via = at.cluster }: Break, { mesh, peers }: Assessment, here: Here): string {
    if (code === "NobodyDials") {
        return asAdministrator(at.cluster, "annotate", "nodes", "--all", "kilo.squat.ai/persistent-keepalive=25");
    }
    // what the plan corrects comes first: a peer that is missing, or that leads to a node which no longer leads
    const isPlanned = peers.some(({ target, state }) => target === via && state !== "present");
    if (isPlanned) return ourselves(here, "plan", "--target", via);
    if (code === "NodeNotReady") {
        const pods = ["-n", "kube-system", "get", "pods", "-l", "app.kubernetes.io/name=kilo", "-o", "wide"];
        return asAdministrator(at.cluster, ...pods, "--field-selector", quoted(`spec.nodeName=${at.node}`));
    }
    const spec = mesh.clusters.find(({ name }) => name === at.cluster);
    if (peer === undefined || spec === undefined) return ourselves(here, "doctor");
    return kubectl(spec, here.cwd, "get", "peer", quoted(peer), "-o", "yaml");
}
