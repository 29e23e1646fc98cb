/** What is generated under `sdk`; all else there is written by hand. */
export const GENERATED = [
    "go/.gitattributes",
    "go/kiloclustermesh",
    "python/.gitattributes",
    "python/.gitignore",
    "python/pulumi_kilo_clustermesh",
    "python/pyproject.toml",
] as const;
