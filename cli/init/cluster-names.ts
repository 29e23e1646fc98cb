const LONGEST = 40;

/**
 * Names for clusters, of the names of contexts: what stands behind the last `/` or `@`, as cloud tools and kubeadm write
 * them, in the letters that a cluster's name may have.
 */
export function clusterNames(contexts: readonly string[]): readonly string[] {
    const taken = new Set<string>();
    return contexts.map((context) => {
        const last = context.split(/[/@]/).at(-1) ?? "";
        const base = dashed(last) || dashed(context) || "cluster";
        let name = base;
        for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
        taken.add(name);
        return name;
    });
}

const dashed = (text: string): string =>
    text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(-LONGEST)
        .replace(/^-+|-+$/g, "");
