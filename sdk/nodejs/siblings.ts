import * as pulumi from "@pulumi/pulumi";
import { crossMeshIssues } from "../../provider/mesh/args/cross-mesh";
import { issue } from "../../provider/mesh/report/findings";
import type { Issue, MeshSpec } from "../../provider/mesh/types";
import { isMocked } from "./unpublished/mocked";

/** Public keys that a mesh writes into each physical cluster. */
export type KeysByTarget = ReadonlyMap<string, ReadonlySet<string>>;

interface Entry {
    readonly mesh: string;
    /** Names of the resources it registers. */
    readonly children: ReadonlySet<string>;
    /** What was known when the mesh was made, and later all of it. */
    known: MeshSpec | undefined;
    /** Nothing it is told comes late, so its plan waits for no other resource. */
    readonly isPlain: boolean;
    keys: KeysByTarget | undefined;
    readonly planned: Promise<void>;
}

/** One mesh among those of its program. */
export interface Sibling {
    /** Names that another mesh of the program has taken. */
    readonly childIssues: readonly Issue[];
    /** Declared networks against those of the others, once all of this mesh is known. */
    readonly check: (resolved: MeshSpec | undefined) => readonly Issue[];
    /**
     * Keys against those of the others, before any of this mesh's writes. Where both are known before either writes both
     * are refused; else the later one is, and the first keeps its peers.
     */
    readonly settle: (keys: KeysByTarget) => Promise<readonly Issue[]>;
    /** It will never plan: nobody need wait for it. */
    readonly giveUp: () => void;
}

/** The meshes of each running program. One process may run several programs. */
const programs = new Map<unknown, Entry[]>();

/** A component that a plugin constructs sees no stack resource; with mocks every test of a user is a program of its own. */
const currentProgram = (): unknown =>
    pulumi.runtime.getStackResource() ??
    (isMocked() ? pulumi.runtime.getMonitor() : `${pulumi.getProject()}/${pulumi.getStack()}`);

export function joinSiblings(
    mesh: string,
    children: readonly string[],
    plain: MeshSpec | undefined,
    isPlain: boolean,
): Sibling {
    const program = currentProgram();
    const entries = programs.get(program) ?? [];
    programs.set(program, entries);
    const others = [...entries];
    let giveUp: () => void = () => undefined;
    const planned = new Promise<void>((resolve) => {
        giveUp = resolve;
    });
    const own: Entry = { mesh, children: new Set(children), known: plain, isPlain, keys: undefined, planned };
    entries.push(own);
    const childIssues = others.flatMap((other) => {
        const child = children.find((name) => other.children.has(name));
        return child === undefined ? [] : [issue("ChildUrnDuplicate", { path: mesh, other: other.mesh, child })];
    });
    return {
        childIssues: childIssues.slice(0, 1),
        check: (resolved) => {
            own.known = resolved ?? plain;
            return crossMeshIssues(entries.flatMap(({ known }) => known ?? []));
        },
        settle: async (keys) => {
            own.keys = keys;
            giveUp();
            const rivals = entries.filter((entry) => entry !== own);
            await Promise.all(rivals.filter((entry) => entry.isPlain).map((entry) => entry.planned));
            return collisions(own, rivals);
        },
        giveUp: () => giveUp(),
    };
}

function collisions({ mesh, keys = new Map() }: Entry, rivals: readonly Entry[]): readonly Issue[] {
    const others = new Set<string>();
    const targets = new Set<string>();
    for (const rival of rivals) {
        for (const [target, theirs] of rival.keys ?? []) {
            if (![...(keys.get(target) ?? [])].some((key) => theirs.has(key))) continue;
            others.add(rival.mesh);
            targets.add(target);
        }
    }
    if (others.size === 0) return [];
    return [issue("KeyInTwoMeshes", { path: mesh, others: [...others].sort(), targets: [...targets].sort() })];
}
