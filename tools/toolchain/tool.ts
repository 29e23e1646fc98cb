/** What must be known of a tool to find it, fetch it or build it. */
export interface Tool {
    readonly name: string;
    /** Names the file outright; nothing else is looked at then. */
    readonly variable: string;
    /** Also taken from the directory in KUBEBUILDER_ASSETS. */
    readonly kubebuilder?: boolean;
    /** How the tool tells its version. A tool that cannot is accepted from PATH only beside `beside`. */
    readonly probe?: VersionProbe;
    readonly beside?: string;
    readonly download?: (platform: NodeJS.Platform, arch: string) => Download | undefined;
    readonly build: GoBuild;
}

export interface VersionProbe {
    readonly args: readonly string[];
    readonly pattern: RegExp;
    /** The oldest version that the tests and the quick start work with. */
    readonly atLeast: string;
}

export interface Download {
    readonly version: string;
    readonly url: string;
    /** A file in the format of sha256sum, or with the bare digest. */
    readonly checksums: string;
    /** Where the tool lies in the archive; absent when the file is the tool itself. */
    readonly member?: string;
}

export interface GoBuild {
    readonly version: string;
    /** Directory under tools/go with the pinned go.mod. */
    readonly module: string;
    readonly package: string;
    /** A script in the directory of the package that is taken as it is: there is nothing to compile. */
    readonly script?: string;
    readonly ldflags: string;
    /** Seconds on two cores with an empty Go build cache. */
    readonly usually: number;
}

/** Compares dotted numbers; what follows the third number is not looked at. */
export function isAtLeast(version: string, minimum: string): boolean {
    const [left, right] = [numbers(version), numbers(minimum)];
    for (let at = 0; at < 3; at++) {
        const difference = (left[at] ?? 0) - (right[at] ?? 0);
        if (difference !== 0) return difference > 0;
    }
    return true;
}

function numbers(version: string): number[] {
    return (/\d+(\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number);
}
