import { configError } from "../errors/kube-error";
import type { KubeconfigUser } from "./kubeconfig";

type Headers = Record<string, string | string[]>;

/** The headers of `as`, `as-uid`, `as-groups` and `as-user-extra`, as kubectl sends them. */
export function impersonation(cluster: string, user: KubeconfigUser): Headers {
    const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
    const extras = Object.entries(extra ?? {});
    if (!as) {
        if (!uid && !groups?.length && extras.length === 0) return {};
        throw configError(
            cluster,
            "its kubeconfig has as-uid, as-groups or as-user-extra without as",
            "Name the user to act as in `as`, or remove the others",
        );
    }
    const value = (field: string, text: string): string => headerText(cluster, field, text);
    return {
        "impersonate-user": value("as", as),
        ...(uid ? { "impersonate-uid": value("as-uid", uid) } : {}),
        ...(groups?.length ? { "impersonate-group": groups.map((each) => value("as-groups", each)) } : {}),
        ...Object.fromEntries(
            extras.map(([key, values]) => [
                `impersonate-extra-${escapeKey(key)}`,
                values.map((each) => value("as-user-extra", each)),
            ]),
        ),
    };
}

/** UTF-8, one character per byte, as HTTP libraries want it. A line break would begin a header of its own. */
function headerText(cluster: string, field: string, text: string): string {
    if (!/[^\t\P{Cc}]/u.test(text)) return Buffer.from(text, "utf8").toString("latin1");
    throw configError(
        cluster,
        `${field} in its kubeconfig has a line break or another character that cannot be sent`,
        `Correct ${field} in the kubeconfig`,
    );
}

/** What the name of a header cannot have is percent-encoded; the server undoes it. */
const escapeKey = (key: string): string =>
    [...Buffer.from(key, "utf8")]
        .map((byte) => String.fromCharCode(byte))
        .map((each) =>
            /[\w!#$&'*+.^`|~-]/.test(each)
                ? each
                : `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
        )
        .join("");
