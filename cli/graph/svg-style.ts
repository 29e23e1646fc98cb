import type { LinkState } from "../status/report";

interface Theme {
    readonly page: string;
    readonly frame: string;
    readonly box: string;
    readonly ink: string;
    readonly faint: string;
    readonly healthy: string;
    readonly "in-place": string;
    readonly degraded: string;
    readonly unknown: string;
}

const LIGHT: Theme = {
    page: "#ffffff",
    frame: "#d8dee9",
    box: "#f8fafc",
    ink: "#0f172a",
    faint: "#526077",
    healthy: "#0f766e",
    "in-place": "#1d4ed8",
    degraded: "#b45309",
    unknown: "#c81e1e",
};

const DARK: Theme = {
    page: "#0d1422",
    frame: "#2a3650",
    box: "#172135",
    ink: "#f1f5f9",
    faint: "#9fb0c9",
    healthy: "#2dd4bf",
    "in-place": "#93c5fd",
    degraded: "#fbbf24",
    unknown: "#f87171",
};

const STATES = ["healthy", "in-place", "degraded", "unknown"] as const;

/** The class of a state: a class has no space. */
export const classOf = (state: LinkState): (typeof STATES)[number] => (state === "in place" ? "in-place" : state);

const colours = (theme: Theme): string =>
    [
        `.page{fill:${theme.page};stroke:${theme.frame}}`,
        `.box{fill:${theme.box}}`,
        `.pill{fill:${theme.page}}`,
        `.ink{fill:${theme.ink}}`,
        `.faint{fill:${theme.faint}}`,
        ...STATES.map((state) => `.${state}{stroke:${theme[state]}}.fill-${state}{fill:${theme[state]}}`),
    ].join("");

/** The page is part of the picture, so it reads on any background; it turns dark where the reader's screen is. */
export const STYLE = [
    "text{font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}",
    ".link{fill:none;stroke-width:1.8}.thin .link{stroke-width:1;stroke-opacity:.45}.link.unknown{stroke-dasharray:5 4;stroke-opacity:1}",
    ".link.degraded{stroke-opacity:1;stroke-width:1.8}.link.in-place{stroke-opacity:1;stroke-dasharray:2 3}",
    ".box{stroke-width:1.5}.box.unknown{stroke-dasharray:5 4}.pill{stroke-width:1}",
    ".name{font-weight:600}",
    colours(LIGHT),
    `@media (prefers-color-scheme:dark){${colours(DARK)}}`,
].join("");
