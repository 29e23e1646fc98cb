import { randomBytes } from "node:crypto";
import type { dynamic } from "@pulumi/pulumi";
import type { Host, Props, ResourceKind } from "../../resources/host";
import { member } from "../../resources/member";
import { meshRecord } from "../../resources/mesh-record";
import { peerSet } from "../../resources/peer-set";
import { endOnBrokenPipes } from "./broken-pipes";
import { endWithEngine } from "./end-with-engine";
import { engineReporter, linesDelivered } from "./engine-reporter";

/**
 * The dynamic-provider interface of Pulumi over our resources. Users' state refers to this module forever as
 * `pulumi-kilo-clustermesh/provider`: it must stay where it is and keep reading old state (`schemaVersion`).
 */
const host: Host = {
    // Loaded when a cluster is contacted: a preview and an `up` that changes nothing never do, and wait for it in vain.
    connect: (access, requestTimeoutSeconds) => {
        const { openCluster }: typeof import("../../kube/client") = require("../../kube/client");
        return openCluster(access, { requestTimeoutSeconds });
    },
    reporter: engineReporter,
    now: () => new Date(),
    newId: () => randomBytes(10).toString("hex"),
    env: (name) => process.env[name],
};

// Only where Pulumi's host has loaded us: a user's unit test may import this module too.
if (process.argv[1]?.includes("dynamic-provider")) {
    endOnBrokenPipes();
    if (process.argv[2] !== undefined) endWithEngine(process.argv[2]);
}

const KINDS: Readonly<Record<string, ResourceKind>> = { mesh: meshRecord, member, peers: peerSet };

const SCHEMA_VERSION = 1;

/** One module serves all resources and the engine does not say which is meant, so the inputs do. */
function kindOf(props: Props): ResourceKind {
    const version = props.schemaVersion;
    if (typeof version === "number" && version > SCHEMA_VERSION) {
        throw new Error(
            `this state was written by a newer pulumi-kilo-clustermesh (schema ${version}, this one reads up to ${SCHEMA_VERSION}): ` +
                "upgrade the package in this project",
        );
    }
    const kind = KINDS[String(props.resource)];
    if (kind === undefined)
        throw new Error(`pulumi-kilo-clustermesh does not know the resource ${String(props.resource)}`);
    return kind;
}

/**
 * The host prints stacks of errors next to the message; they help nobody who reads a deployment log. What was said on the
 * way is shown before the result.
 */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (error instanceof Error) error.stack = "";
        throw error;
    } finally {
        await linesDelivered();
    }
}

export const check = (olds: Props, news: Props): Promise<dynamic.CheckResult> =>
    quietly(() => {
        const { inputs, failures } = kindOf(news).check(host, olds, news);
        return { inputs, failures: [...failures] };
    });

export const diff = (_id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> =>
    quietly(() => kindOf(news).diff(olds, news));

export const create = (inputs: Props): Promise<dynamic.CreateResult> =>
    quietly(() => kindOf(inputs).create(host, inputs));

export const read = (id: string, outs: Props): Promise<dynamic.ReadResult> =>
    quietly(() => kindOf(outs).read(host, id, outs));

export const update = (id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> =>
    quietly(() => kindOf(news).update(host, id, olds, news));

const remove = (id: string, outs: Props): Promise<void> => quietly(() => kindOf(outs).delete(host, id, outs));

export { remove as delete };
