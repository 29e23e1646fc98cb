import { z } from "zod";
import { SECRET, SIGNATURE } from "../../provider/values/engine-marks";
import { isRecord } from "../../provider/values/untrusted";
import { UsageError } from "../failure";

const resource = z.object({
    urn: z.string(),
    type: z.string(),
    id: z.string().catch(""),
    parent: z.string().catch(""),
    inputs: z.record(z.string(), z.unknown()).catch({}),
    outputs: z.record(z.string(), z.unknown()).catch({}),
    delete: z.boolean().catch(false),
});

const deployment = z.object({
    deployment: z.object({
        resources: z.array(resource).catch([]),
        pending_operations: z.array(z.unknown()).catch([]),
    }),
});

/** A resource as the state of a stack has it. Its secrets are plain. */
export type StackResource = z.infer<typeof resource>;

export interface StackState {
    readonly resources: readonly StackResource[];
    /** Replaced or removed, and not deleted yet. */
    readonly leaving: readonly StackResource[];
    /** An update is under way, or was cut off: what it did is not all recorded. */
    readonly isPending: boolean;
}

/** What `pulumi stack export --show-secrets` printed. Nothing of it is repeated where it cannot be read. */
export function readState(text: string): StackState {
    const parsed = deployment.safeParse(parseJson(text));
    if (!parsed.success) {
        throw new UsageError("what pulumi stack export printed is not the state of a stack", "Update the Pulumi CLI");
    }
    const { resources, pending_operations: pending } = parsed.data.deployment;
    const all = resources.map((each) => ({
        ...each,
        inputs: revealAll(each.inputs),
        outputs: revealAll(each.outputs),
    }));
    return {
        resources: all.filter((each) => !each.delete),
        leaving: all.filter((each) => each.delete),
        isPending: pending.length > 0,
    };
}

function parseJson(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

const revealAll = (bag: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(bag).map(([key, value]) => [key, reveal(value)]));

function reveal(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(reveal);
    if (!isRecord(value)) return value;
    if (value[SIGNATURE] !== SECRET) return revealAll(value);
    return typeof value.plaintext === "string" ? reveal(parseJson(value.plaintext)) : undefined;
}
