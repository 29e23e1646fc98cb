import type { ClusterSpec } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";
import { EXIT } from "../exit-codes";
import type { Screen } from "../screen";
import { deleteOffered } from "./delete-offered";
import type { Owner } from "./judge";
import type { Reach, ReachOptions } from "./reach";
import { sweepReport, withOutcomes } from "./report";
import { foundText, outcomeText } from "./text";

export interface SweepRequest {
    /** What is asked for, in words. */
    readonly of: string;
    readonly owner: Owner;
    readonly clusters: readonly ClusterSpec[];
    readonly json: boolean;
    readonly all: boolean;
    readonly yes: boolean;
}

export interface SweepSurroundings extends ReachOptions {
    readonly reach: Reach;
    readonly screen: Screen;
    readonly write: (text: string) => void;
    /** Asks on a terminal; undefined where nobody can answer. */
    readonly ask: ((question: string) => Promise<string>) | undefined;
    /** Takes the line of progress away. */
    readonly stopProgress: () => void;
}

/** Lists what a mesh left behind, asks, and deletes it. Without a terminal and without consent it lists only. */
export async function sweep(request: SweepRequest, around: SweepSurroundings): Promise<number> {
    const { of, owner, clusters, json, all, yes } = request;
    const { screen, write, ask } = around;
    const print = (lines: readonly string[]): void => write(`${lines.join("\n")}\n`);
    const reached = await around.reach(clusters, around).finally(around.stopProgress);
    try {
        const names = clusters.map(({ name }) => name);
        const found = sweepReport(of, names, reached.clusters, owner);
        if (!json) print(foundText(found, screen, all));
        const isAgreed =
            found.offered.length > 0 && (yes || (!json && (await isConsent(found.offered.length, owner, ask))));
        const report = isAgreed ? withOutcomes(found, await deleteOffered(found.offered, reached, owner)) : found;
        if (json) write(`${JSON.stringify(report, undefined, 2)}\n`);
        else if (isAgreed) print(outcomeText(report, screen));
        else if (found.offered.length > 0)
            print(["", `Nothing was deleted. ${ask ? "" : "Give --yes to delete them."}`.trim()]);
        return report.clean ? EXIT.healthy : EXIT.degraded;
    } finally {
        await reached.close();
    }
}

async function isConsent(offered: number, { ledgers }: Owner, ask: SweepSurroundings["ask"]): Promise<boolean> {
    if (ask === undefined) return false;
    const warning = ledgers === undefined ? "No state was read: if a stack still has them, its tunnels break. " : "";
    const answer = await ask(`\n${warning}Delete ${count(offered, "peer")}? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
}
