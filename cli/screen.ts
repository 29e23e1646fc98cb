import type { Paint } from "./render/paint";

/** Where lines will be shown. */
export interface Screen {
    readonly paint: Paint;
    /** Columns; infinite when the output goes to a file or another program. */
    readonly width: number;
}
