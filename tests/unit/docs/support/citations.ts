import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./check-types";

/** A page that a text names; from the root if it starts with `docs/`, otherwise only the last part of the path counts. */
const PAGE = /(?:[\w.-]+\/)*[A-Za-z0-9-]+\.md\b/g;

/** Every file of the repository, relative to the root, also one that is not committed yet. Ignored files are not. */
export function repositoryFiles(): readonly string[] {
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
        cwd: ROOT,
        encoding: "utf8",
    });
    return listed
        .split("\0")
        .filter((file) => file !== "" && existsSync(path.join(ROOT, file)))
        .sort();
}

/** The pages that a text names and that are not among the files. Pages on the web are not ours to check. */
export function missingPages(text: string, files: readonly string[]): readonly string[] {
    const paths = new Set(files);
    const names = new Set(files.map((file) => path.posix.basename(file)));
    const cited = [...text.replace(/https?:\/\/\S+/g, "").matchAll(PAGE)].map(([page]) => page);
    return [...new Set(cited)].filter((page) =>
        page.startsWith("docs/") ? !paths.has(page) : !names.has(path.posix.basename(page)),
    );
}

/** The sections that comments cite as `<page>: <heading>` and that the page does not have. */
export function missingSections(source: string, page: string, pageText: string): readonly string[] {
    const titles = [...pageText.matchAll(/^#+ +(.*)$/gm)].map(([, title]) => title!.toLowerCase());
    const unwrapped = source.replace(/\n\s*(?:\*|\/\/)?\s*/g, " ");
    return unwrapped
        .split(`${page}: `)
        .slice(1)
        .filter((rest) => !titles.some((title) => startsWithTitle(rest.toLowerCase(), title)))
        .map((rest) => rest.slice(0, 40));
}

const startsWithTitle = (text: string, title: string): boolean =>
    text.startsWith(title) && !/^[\w-]/.test(text.slice(title.length));
