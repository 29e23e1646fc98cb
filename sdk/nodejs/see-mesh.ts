import * as pulumi from "@pulumi/pulumi";
import { clusterList, inFormOf } from "../../provider/mesh/args/cluster-forms";
import { parseMesh } from "../../provider/mesh/args/validate";
import type { ClusterSpec } from "../../provider/mesh/types";
import { type LookOptions, look, lookAgain, NOTHING_SEEN, type Sight, waitForNodes } from "../../provider/observe/look";
import type { ClusterMeshArgs } from "./args/cluster-mesh-args";
import type { Settings } from "./args/settings";
import { knownValue } from "./unpublished/known";
import { isMocked } from "./unpublished/mocked";

export const DEFAULT_REQUEST_TIMEOUT = 10;

export interface SeeMesh {
    readonly mesh: string;
    readonly args: ClusterMeshArgs;
    readonly component: pulumi.Resource;
    readonly settings: pulumi.Output<Settings>;
    readonly specs: readonly pulumi.Output<ClusterSpec>[];
    /** Throws where something is wrong with the arguments: then no cluster is contacted. */
    readonly approve: (parsed: ReturnType<typeof parseMesh>) => void;
}

/** Validates what is known by now and reads the clusters: once per run, shared by all children. */
export async function seeMesh({ mesh, args, component, settings, specs, approve }: SeeMesh): Promise<Sight> {
    const values = await Promise.all(specs.map(knownValue));
    const known = values.filter((spec) => spec !== undefined);
    const resolved = (await knownValue(settings)) ?? {};
    const { clusters: _, meshName: __, ...plain } = { ...args, ...resolved };
    const isWhole = known.length === values.length;
    approve(
        parseMesh(
            {
                ...definedOnly(plain),
                mesh,
                clusters: inFormOf(
                    args.clusters,
                    clusterList(args.clusters).map(({ name }, index) => values[index] ?? { name }),
                ),
            },
            { partial: !isWhole, requireAccess: isWhole },
        ),
    );
    if (isMocked()) return NOTHING_SEEN;
    const readable = reachable(known);
    const options = lookOptions(resolved);
    const sight = await look(readable, options);
    const waitSeconds = pulumi.runtime.isDryRun() ? 0 : (resolved.waitForNodes ?? 0);
    const onWait = (names: readonly string[], left: number): void => {
        void pulumi.log.info(
            `waiting for Kilo to set up the nodes of ${names.join(", ")} (up to ${left} s more)`,
            component,
            undefined,
            true,
        );
    };
    return waitForNodes(sight, readable, { ...options, waitSeconds, onWait });
}

/** Looks at clusters again that a plan has doubts about. */
export const seeAgain =
    (settings: pulumi.Output<Settings>) =>
    async (sight: Sight, clusters: readonly ClusterSpec[]): Promise<Sight> =>
        isMocked() ? sight : lookAgain(sight, clusters, lookOptions((await knownValue(settings)) ?? {}));

const lookOptions = ({ requestTimeout = DEFAULT_REQUEST_TIMEOUT }: Settings): LookOptions => ({
    requestTimeoutSeconds: requestTimeout,
});

/** Those whose kubeconfig can be read: the chain of Secrets that leads to it has no unknown link. */
function reachable(known: readonly ClusterSpec[]): readonly ClusterSpec[] {
    const byName = new Map(known.map((spec) => [spec.name, spec]));
    const isReachable = ({ name, kubeconfigSecret }: ClusterSpec, passed: readonly string[]): boolean => {
        if (kubeconfigSecret === undefined || passed.includes(name)) return true;
        const holder = byName.get(kubeconfigSecret.cluster);
        return holder !== undefined && isReachable(holder, [...passed, name]);
    };
    return known.filter((spec) => isReachable(spec, []));
}

const definedOnly = (bag: object): object =>
    Object.fromEntries(Object.entries(bag).filter(([, value]) => value !== undefined));
