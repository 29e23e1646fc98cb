import { join } from "node:path";
import { ROOT } from "../process/run-program";

/** Everything the quick start leaves on disk is here. */
export const HOME = join(ROOT, ".local", "quickstart");
export const CLUSTERS = join(HOME, "clusters");
export const PULUMI = join(HOME, "pulumi");
/** Which clusters the program at the root meshes. */
export const MEMBERS = join(HOME, "members.json");
/** Where the package is found under its own name by the provider process, which runs at the root but not from a file there. */
export const PACKAGES = join(HOME, "packages");
/** The pulumi process of the present run, or its watcher. */
export const RUNNING = join(HOME, "running.json");
export const LOCK = join(ROOT, ".local", "quickstart.lock");
