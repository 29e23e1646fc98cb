import type { DoubleNode } from "../../../tests/support/api-double";

const IMAGES = 30;
const CONDITIONS = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready"];

const RESOURCES = { cpu: "8", "ephemeral-storage": "101430960Ki", memory: "32886612Ki", pods: "110" };

/** What an API server says of a node besides what we read: some 10 kB of images, conditions and owners of fields. */
export function realSize(node: DoubleNode): DoubleNode {
    const images = Array.from({ length: IMAGES }, (_, at) => ({
        names: [
            `registry.example.com/team-${at}/service@sha256:${String(at).padStart(64, "0")}`,
            `registry.example.com/team-${at}/service:v1.${at}.0`,
        ],
        sizeBytes: 40_000_000 + at,
    }));
    const conditions = CONDITIONS.map((type) => ({
        type,
        status: type === "Ready" ? "True" : "False",
        lastHeartbeatTime: "2026-01-01T00:00:00Z",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        reason: `KubeletHas${type}`,
        message: `kubelet reports on ${type}`,
    }));
    const owned = Object.fromEntries(
        [...Object.keys(node.metadata.annotations ?? {}), ...images.slice(0, 20).map(({ names }) => names[1]!)].map(
            (name) => [`f:${name}`, {}],
        ),
    );
    const managedFields = ["kubelet", "kg"].map((manager) => ({
        manager,
        operation: "Update",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:metadata": { "f:annotations": owned } },
    }));
    const status = { ...node.status, capacity: RESOURCES, allocatable: RESOURCES, conditions, images };
    return { ...node, metadata: { ...node.metadata, managedFields }, status } as DoubleNode;
}
