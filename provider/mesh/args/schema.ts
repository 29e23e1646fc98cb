import { z } from "zod";
import { isRecord } from "../../values/untrusted";
import { issue } from "../report/findings";
import type { Issue } from "../types";
import { type Path, pathText } from "./argument-path";
import { isByName, namedEntries } from "./cluster-forms";
import { kubeconfigText } from "./kubeconfig-text";

/** Each `error` completes the sentence "… must be". Values are never part of it: a kubeconfig is among them. */
const text = z.string({ error: "a string" });
const nonEmpty = text.min(1, "a string that is not empty");
const flag = z.boolean({ error: "true or false" });
const cidrs = z.array(z.string({ error: "a string such as 10.1.0.0/16" }), {
    error: "a list of strings such as 10.1.0.0/16",
});
const whole = (least: number, most: number) => {
    const error = `a whole number from ${least} to ${most}`;
    return z.int({ error }).min(least).max(most);
};

const secret = z.strictObject(
    { cluster: nonEmpty, namespace: nonEmpty, name: nonEmpty, key: nonEmpty },
    { error: "an object with cluster, namespace, name and key" },
);

/** Text, as we keep it, or the object that clouds return. Which of the two was given makes no difference from here on. */
const kubeconfig = z.union(
    [
        nonEmpty,
        z.looseObject({ clusters: z.array(z.unknown()), contexts: z.array(z.unknown()) }).transform(kubeconfigText),
    ],
    { error: "the text of a kubeconfig, the path of one, or the object that the text stands for" },
);

const cluster = z.strictObject(
    {
        name: text,
        kubeconfig: kubeconfig.optional(),
        context: nonEmpty.optional(),
        local: flag.optional(),
        kubeconfigSecret: secret.optional(),
        podCIDRs: cidrs.optional(),
        wireguardCIDR: text.optional(),
        serviceCIDR: text.optional(),
        additionalCIDRs: cidrs.optional(),
        nodeCIDRs: cidrs.optional(),
        allowedNetworks: cidrs.optional(),
        nodeAddresses: flag.optional(),
        acceptedNetworks: cidrs.optional(),
        nodeSelector: z
            .record(z.string(), z.string({ error: "a string: the label's value" }), { error: "a map of labels" })
            .optional(),
        wireguardPort: whole(1, 65535).optional(),
        persistentKeepalive: whole(0, 65535).optional(),
        nat: flag.optional(),
        discoveredEndpoints: flag.optional(),
        allowEmpty: flag.optional(),
        reserved: cidrs.optional(),
        excludeNodes: z.array(nonEmpty, { error: "a list of node names" }).optional(),
        rebuilt: nonEmpty.optional(),
    },
    { error: "an object that describes a cluster" },
);

const link = z.strictObject({ a: text, b: text }, { error: "an object with a and b, the names of two clusters" });

const topology = z.strictObject(
    {
        hubs: z.array(text, { error: "a list of cluster names" }).optional(),
        links: z.array(link, { error: "a list of { a, b }" }).optional(),
    },
    { error: "an object with hubs or links" },
);

export const meshSchema = z.strictObject(
    {
        mesh: text,
        clusters: z.array(cluster, { error: "a list of clusters, or a map of them by name" }),
        topology: topology.optional(),
        grouped: flag.optional(),
        onUnreachable: z.enum(["skip", "fail"], { error: '"skip" or "fail"' }).optional(),
        onUnusable: z.enum(["fail", "warn"], { error: '"fail" or "warn"' }).optional(),
        waitForNodes: z.number({ error: "a number of seconds from 0 to 3600" }).min(0).max(3600).optional(),
        deleteUnreachable: flag.optional(),
        adopt: flag.optional(),
        requestTimeout: z.number({ error: "a number of seconds above 0 and up to 3600" }).gt(0).max(3600).optional(),
        peerWarning: whole(1, 1_000_000_000).optional(),
    },
    { error: "an object with mesh and clusters" },
);

/** Readonly all the way down, and absent where it is not given: the plain form of what users write. */
type Plain<T> = T extends readonly (infer E)[]
    ? readonly Plain<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> }
      : T;

/** The fields of `ClusterArgs` as plain values. */
export interface ClusterSpec extends Plain<z.infer<typeof cluster>> {}
/** The fields of `KubeconfigSecretArgs` as plain values. */
export interface SecretReference extends Plain<z.infer<typeof secret>> {}
/** The fields of `TopologyArgs`: which clusters are joined. */
export interface Topology extends Plain<z.infer<typeof topology>> {}
/** The arguments of one mesh, checked. */
export type MeshSpec = Plain<z.infer<typeof meshSchema>> & Form;

interface Form {
    /** `clusters` was given as a map: findings say `clusters.berlin`, not `clusters[1]`. */
    readonly byName?: boolean;
}

type Known<T> = T extends readonly (infer E)[]
    ? readonly (Known<E> | undefined)[]
    : T extends object
      ? { readonly [K in keyof T]?: Known<T[K]> | undefined }
      : T;

/** The arguments as far as they have the right types: what is not known, or was wrong, is undefined. */
export type KnownMesh = Known<z.infer<typeof meshSchema>> & Form;
export type KnownCluster = Known<z.infer<typeof cluster>>;

export interface CheckedShape {
    readonly known: KnownMesh;
    readonly issues: readonly Issue[];
    /** Positions of clusters of which a part was wrong: what seems to be missing there may be what was wrong. */
    readonly broken: ReadonlySet<unknown>;
}

/** Types, ranges and unknown fields. With `partial`, undefined stands for a value that is not known yet. */
export function checkShape(given: unknown, partial: boolean): CheckedShape {
    const { args, names, issues: strayNames } = asList(given);
    const form = names === undefined ? {} : { byName: true };
    const parsed = meshSchema.safeParse(args);
    if (parsed.success) return { known: { ...parsed.data, ...form }, issues: strayNames, broken: new Set() };
    const issues: Issue[] = [...strayNames];
    const wrong = new Set<string>();
    const broken = new Set<unknown>();
    for (const found of parsed.error.issues) {
        if (partial && valueAt(args, found.path) === undefined) continue;
        const place = placeOf(found.path, names);
        if (found.code === "unrecognized_keys") {
            for (const key of found.keys) {
                issues.push(unknownField(place, key));
                wrong.add(JSON.stringify([...found.path, key]));
            }
            continue;
        }
        issues.push(wrongValue(place, found.message));
        wrong.add(JSON.stringify(found.path));
        broken.add(found.path[1]);
    }
    return { known: { ...(salvage(args, [], wrong) as KnownMesh), ...form }, issues, broken };
}

interface AsList {
    readonly args: unknown;
    /** Of the clusters, where they were given as a map. */
    readonly names?: readonly string[];
    readonly issues: readonly Issue[];
}

function asList(args: unknown): AsList {
    const clusters = isRecord(args) ? args.clusters : undefined;
    if (!isByName(clusters)) return { args, issues: [] };
    const names = Object.keys(clusters);
    const stray = names.filter((name) => isRecord(clusters[name]) && Object.hasOwn(clusters[name], "name"));
    return {
        args: { ...(args as object), clusters: namedEntries(clusters) },
        names,
        issues: stray.map((name) => unknownField(["clusters", name], "name")),
    };
}

/** Where a finding is, in the form that the user chose. */
const placeOf = (path: Path, names: readonly string[] | undefined): Path =>
    names === undefined || typeof path[1] !== "number" ? path : ["clusters", names[path[1]]!, ...path.slice(2)];

/** At the path of a finding: all above it are objects. */
const valueAt = (args: unknown, path: Path): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], args);

/** A copy without the values at the wrong paths, so that the rest can still be checked: all findings at once. */
function salvage(value: unknown, path: Path, wrong: ReadonlySet<string>): unknown {
    if (wrong.has(JSON.stringify(path))) return undefined;
    if (Array.isArray(value)) return value.map((item, i) => salvage(item, [...path, i], wrong));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, salvage(item, [...path, key], wrong)]));
}

function wrongValue(path: Path, phrase: string): Issue {
    return issue("ArgumentInvalid", { path: pathText(path), phrase });
}

function unknownField(path: Path, field: string): Issue {
    const isEntryOfMap = path.length === 2 && typeof path[1] === "string";
    const known = fieldsAt(path).filter((name) => !(isEntryOfMap && name === "name"));
    return issue("ArgumentUnknown", {
        path: pathText([...path, field]),
        field,
        parent: pathText(path),
        nearest: nearestName(field, known),
        known,
    });
}

function fieldsAt(path: Path): readonly string[] {
    const schema = path.includes("kubeconfigSecret")
        ? secret
        : path.includes("links")
          ? link
          : path[0] === "topology"
            ? topology
            : path[0] === "clusters"
              ? cluster
              : meshSchema;
    return Object.keys(schema.shape);
}

/** The known name that takes the fewest edits, if few enough to be a slip. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
    const typed = name.slice(0, 64).toLowerCase();
    const ranked = known.map((candidate) => ({ candidate, edits: editDistance(typed, candidate.toLowerCase()) }));
    const best = ranked.reduce((a, b) => (b.edits < a.edits ? b : a));
    return best.edits <= Math.max(2, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
            next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
        }
        row = next;
    }
    return row[b.length]!;
}
