/** What the generators of the SDKs are told, by language. */
export const LANGUAGES = {
    nodejs: { packageName: "pulumi-kilo-clustermesh", respectSchemaVersion: true },
    python: { packageName: "pulumi_kilo_clustermesh", pyproject: { enabled: true }, respectSchemaVersion: true },
    go: {
        importBasePath: "github.com/pulumi-kilo-clustermesh/sdk/go/kilo-clustermesh",
        rootPackageName: "kiloclustermesh",
        respectSchemaVersion: true,
    },
} as const;
