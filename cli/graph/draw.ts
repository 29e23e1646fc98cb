import type { Assessment } from "../assess";
import { dot } from "./dot";
import { mermaid } from "./mermaid";
import { graphModel } from "./model";
import { svg } from "./svg";

export function drawGraph(assessment: Assessment, format: string): string {
    const model = graphModel(assessment);
    switch (format) {
        case "dot":
            return dot(model);
        case "svg":
            return svg(model);
        default:
            return mermaid(assessment, model);
    }
}
