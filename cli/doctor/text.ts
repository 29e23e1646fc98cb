import type { Severity } from "../../provider/mesh/types";
import type { Colour } from "../render/paint";
import { counted, hanging, visible } from "../render/visible";
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
        return `${name}: ${paint("green", "no problems found")} in ${counted(clusters.length, "cluster")}`;
    const parts = [
        ...(error > 0 ? [paint("red", counted(error, "error"))] : []),
        ...(warning > 0 ? [paint("yellow", counted(warning, "warning"))] : []),
    ];
    return `${name}: ${parts.join(", ")} in ${counted(clusters.length, "cluster")}`;
}

function memberLines(
    { cluster, passed, notChecked }: MemberHealth,
    { findings }: DoctorReport,
    screen: Screen,
): string[] {
    const { paint, width } = screen;
    const list = (sign: string, colour: Colour, checks: readonly string[]): string[] =>
        checks.length === 0 ? [] : hanging(`  ${paint(colour, sign)} `, checks.join(", "), width);
    return [
        "",
        paint("bold", visible(cluster)),
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
        const count = (counts.get(finding.code) ?? 0) + 1;
        counts.set(finding.code, count);
        if (count <= MOST_ALIKE) lines.push(...oneFinding(finding, screen));
    }
    for (const [code, count] of counts) {
        if (count > MOST_ALIKE) lines.push(`    … and ${count - MOST_ALIKE} more ${code}: --json has them all`);
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
