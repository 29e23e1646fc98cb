/** What the generators of the SDKs are told, by language. */
export const LANGUAGES = {
    nodejs: { packageName: "pulumi-kilo-clustermesh", respectSchemaVersion: true },
    python: { packageName: "pulumi_kilo_clustermesh", pyproject: { enabled: true }, respectSchemaVersion: true },
    // No host name: nobody can publish something else under a path that Go never looks up.
    go: { importBasePath: "pulumi-kilo-clustermesh/sdk/go/kiloclustermesh", respectSchemaVersion: true },
    csharp: { respectSchemaVersion: true },
} as const;
