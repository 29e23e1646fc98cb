import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../values/untrusted";
import { parseYaml } from "./kubeconfig-yaml";

/** Whether two kubeconfigs say the same: an object, its JSON and its YAML are one value. Paths are compared as text. */
export function sameKubeconfig(one: unknown, other: unknown): boolean {
    if (one === other) return true;
    if (typeof one !== "string" || typeof other !== "string") return false;
    const [a, b] = [parseYaml(one).value, parseYaml(other).value];
    return isRecord(a) && isRecord(b) && isDeepStrictEqual(a, b);
}
