import fc from "../../support/chance";
import type { Fault } from "../../support/fault-proxy";
import type { Shape } from "./model";

/** One step of the walk, as data: it can be printed, replayed and shrunk. Numbers are taken modulo what there is. */
export type Step =
    | {
          readonly do: "add node" | "remove node" | "renew key" | "move endpoint" | "swap networks";
          readonly at: number;
          readonly which: number;
      }
    | { readonly do: "leave or join"; readonly at: number }
    | { readonly do: "link"; readonly shape: Shape }
    | {
          readonly do: "foreign peer";
          readonly at: number;
          readonly which: number;
          readonly takes: "key" | "network" | "name" | "nothing";
      }
    | { readonly do: "foreign peer goes"; readonly at: number; readonly which: number }
    | {
          readonly do: "hand edit";
          readonly at: number;
          readonly which: number;
          readonly edit: "keepalive" | "endpoint" | "shrink" | "labels" | "delete" | "recreate";
      }
    | { readonly do: "up" | "refresh" | "destroy" }
    | {
          readonly do: "up" | "refresh" | "destroy";
          readonly at: number;
          readonly request: number;
          readonly fault: Fault;
          readonly stubborn: boolean;
      }
    | { readonly do: "up" | "destroy"; readonly crashAtWrite: number; readonly done: boolean };

const answer = (status: number): Fault => ({ kind: "answer", status });

const FAULTS: readonly Fault[] = [
    { kind: "reset" },
    { kind: "cut" },
    { kind: "drop" },
    { kind: "stale" },
    ...[401, 403, 404, 409, 422, 429, 500, 503].map(answer),
];

const at = fc.nat(7);
const which = fc.nat(7);

const calm = fc.record({
    do: fc.constantFrom("up" as const, "up" as const, "up" as const, "refresh" as const, "destroy" as const),
});

/** Runs, faulty runs, crashes and everything that people and clusters do in between. */
export const step: fc.Arbitrary<Step> = fc.oneof(
    {
        weight: 5,
        arbitrary: fc.record({
            do: fc.constantFrom(
                "add node" as const,
                "remove node" as const,
                "renew key" as const,
                "move endpoint" as const,
                "swap networks" as const,
            ),
            at,
            which,
        }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave or join" as const), at }) },
    {
        weight: 1,
        arbitrary: fc.record({
            do: fc.constant("link" as const),
            shape: fc.constantFrom<Shape>("full", "star", "chain"),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            do: fc.constant("foreign peer" as const),
            at,
            which,
            takes: fc.constantFrom("key" as const, "network" as const, "name" as const, "nothing" as const),
        }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("foreign peer goes" as const), at, which }) },
    {
        weight: 3,
        arbitrary: fc.record({
            do: fc.constant("hand edit" as const),
            at,
            which,
            edit: fc.constantFrom(
                "keepalive" as const,
                "endpoint" as const,
                "shrink" as const,
                "labels" as const,
                "delete" as const,
                "recreate" as const,
            ),
        }),
    },
    { weight: 4, arbitrary: calm },
    {
        weight: 4,
        arbitrary: fc.record({
            do: fc.constantFrom("up" as const, "up" as const, "refresh" as const, "destroy" as const),
            at,
            request: fc.integer({ min: 1, max: 12 }),
            fault: fc.constantFrom(...FAULTS),
            stubborn: fc.boolean(),
        }),
    },
    {
        weight: 3,
        arbitrary: fc.record({
            do: fc.constantFrom("up" as const, "up" as const, "destroy" as const),
            crashAtWrite: fc.integer({ min: 1, max: 8 }),
            done: fc.boolean(),
        }),
    },
);
