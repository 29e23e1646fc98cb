import type { Severity } from "../../provider/mesh/types";
import { count } from "../../provider/values/show";
import type { Colour } from "../render/paint";
import { hanging, visible } from "../render/visible";
import type { Screen } from "../screen";
import { CHECKS, type Finding } from "./finding";
import type { DoctorReport, MemberHealth } from "./report";

const SIGNS: Readonly<Record<Severity, readonly [string, Colour]>> = {
    error: ["✗", "red"],
    warning: ["!", "yellow"],
    info: ["i", "cyan"],
};
/** Of one kind in one cluster: more of the same tells nothing new. `--json` has them all. */
const MOST_ALIKE = 5;

export function doctorText(report: DoctorReport, screen: Screen): string[] {
    const { paint } = screen;
    const ofMesh = report.findings.filter(({ cluster }) => cluster === undefined);
    return [
        headline(report, screen),
        ...report.clusters.flatMap((member) => memberLines(member, report, screen)),
        ...(ofMesh.length === 0 ? [] : ["", paint("bold", "the mesh as a whole"), ...findingLines(ofMesh, screen)]),
    ];
}

function headline({ mesh, counts, clusters }: DoctorReport, { paint }: Screen): string {
    const { error, warning } = counts;
    const name = paint("bold", `mesh ${mesh}`);
    if (error + warning === 0)
        return `${name}: ${paint("green", "no problems found")} in ${count(clusters.length, "cluster")}`;
    const parts = [
        ...(error > 0 ? [paint("red", count(error, "error"))] : []),
        ...(warning > 0 ? [paint("yellow", count(warning, "warning"))] : []),
    ];
    return `${name}: ${parts.join(", ")} in ${count(clusters.length, "cluster")}`;
}

function memberLines(
    { cluster, state, passed, notChecked }: MemberHealth,
    { findings }: DoctorReport,
    screen: Screen,
): string[] {
    const { paint, width } = screen;
    const list = (sign: string, colour: Colour, checks: readonly string[]): string[] =>
        checks.length === 0 ? [] : hanging(`  ${paint(colour, sign)} `, checks.join(", "), width);
    return [
        "",
        `${paint("bold", visible(cluster))}${state === "seen" ? "" : ` (${state})`}`,
        ...list("✓", "green", passed.length === CHECKS.length ? [`all ${CHECKS.length} checks passed`] : passed),
        ...findingLines(
            findings.filter((finding) => finding.cluster === cluster),
            screen,
        ),
        ...list("-", "dim", notChecked.length === 0 ? [] : [`not checked: ${notChecked.join(", ")}`]),
    ];
}

function findingLines(findings: readonly Finding[], screen: Screen): string[] {
    const counts = new Map<string, number>();
    const lines: string[] = [];
    for (const finding of findings) {
        const alike = (counts.get(finding.code) ?? 0) + 1;
        counts.set(finding.code, alike);
        if (alike <= MOST_ALIKE) lines.push(...oneFinding(finding, screen));
    }
    for (const [code, alike] of counts) {
        if (alike > MOST_ALIKE) lines.push(`    … and ${alike - MOST_ALIKE} more ${code}: --json has them all`);
    }
    return lines;
}

function oneFinding({ code, severity, node, peer, what, why, next }: Finding, { paint, width }: Screen): string[] {
    const [sign, colour] = SIGNS[severity];
    const subject = node ?? peer;
    return [
        `  ${paint(colour, sign)} ${paint(colour, code)}${subject === undefined ? "" : ` ${visible(subject)}`}`,
        ...hanging("      ", visible(what), width),
        ...hanging(`      ${paint("dim", "why ")} `, visible(why), width),
        // Never wrapped: it is there to be copied.
        `      ${paint("dim", "next")} ${paint("cyan", visible(next))}`,
    ];
}
