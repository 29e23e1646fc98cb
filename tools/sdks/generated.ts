/** What is generated under `sdk`; all else there is written by hand. */
export const GENERATED = [
    "dotnet",
    "go/.gitattributes",
    "go/kiloclustermesh",
    "java",
    "python/.gitattributes",
    "python/.gitignore",
    "python/pulumi_kilo_clustermesh",
    "python/pyproject.toml",
] as const;
