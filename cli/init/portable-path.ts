import { homedir } from "node:os";
import path from "node:path";

/** A path as the files of `directory` should have it: relative to it where it is inside, `~` where it is in the home directory. */
export function portablePath(file: string, directory: string, home = homedir()): string {
    const inside = path.relative(directory, file);
    if (isBelow(inside)) return inside.split(path.sep).join("/");
    const inHome = path.relative(home, file);
    return isBelow(inHome) ? `~/${inHome.split(path.sep).join("/")}` : file;
}

const isBelow = (relative: string): boolean =>
    relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
