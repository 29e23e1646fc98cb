const TEXT = { type: "string" };
const FLAG = { type: "boolean" };
const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The kind `Stack` of the Pulumi Kubernetes Operator with the fields that our manifests and our watcher use, and no others. */
export const STACK_CRD = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "stacks.pulumi.com" },
    spec: {
        group: "pulumi.com",
        scope: "Namespaced",
        names: { plural: "stacks", singular: "stack", kind: "Stack" },
        versions: [
            {
                name: "v1",
                served: true,
                storage: true,
                subresources: { status: {} },
                schema: {
                    openAPIV3Schema: {
                        type: "object",
                        properties: {
                            spec: {
                                type: "object",
                                required: ["stack"],
                                properties: {
                                    serviceAccountName: TEXT,
                                    projectRepo: TEXT,
                                    branch: TEXT,
                                    stack: TEXT,
                                    backend: TEXT,
                                    continueResyncOnCommitMatch: FLAG,
                                    destroyOnFinalize: FLAG,
                                    retryOnUpdateConflict: FLAG,
                                    resyncFrequencySeconds: { type: "integer", format: "int64" },
                                    envRefs: {
                                        type: "object",
                                        additionalProperties: {
                                            type: "object",
                                            required: ["type"],
                                            properties: {
                                                type: TEXT,
                                                secret: {
                                                    type: "object",
                                                    required: ["key", "name"],
                                                    properties: { key: TEXT, name: TEXT },
                                                },
                                            },
                                        },
                                    },
                                    workspaceTemplate: ANYTHING,
                                },
                            },
                            status: {
                                type: "object",
                                properties: {
                                    observedReconcileRequest: TEXT,
                                    lastUpdate: {
                                        type: "object",
                                        properties: { reconcileRequest: TEXT, state: TEXT, message: TEXT },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        ],
    },
} as const;
