import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { ApiClient } from "./api-client";
import { hasStatus } from "./cluster-handle";
import { kubeconfigText } from "./credentials";

interface Manifest {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
}

const ACCOUNT = "kilo-clustermesh";
const TEN_YEARS = 10 * 365 * 24 * 3600;
const COLLECTIONS: Readonly<Record<string, string>> = {
    Namespace: "/api/v1/namespaces",
    ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    CustomResourceDefinition: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
};

/** The Peer CRD, and the very permissions that users are told to grant. Returns a token that has just those. */
export async function bootstrap(client: ApiClient): Promise<string> {
    const crd = createAll(client, join(__dirname, "peer-crd.yaml")).then(() => peersServed(client));
    await createAll(client, join(__dirname, "..", "..", "docs", "rbac.yaml"));
    const path = `/api/v1/namespaces/${ACCOUNT}/serviceaccounts/${ACCOUNT}/token`;
    const { status } = await client.request<{ status: { token: string } }>("POST", path, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: TEN_YEARS },
    });
    await crd;
    return status.token;
}

export function writeKubeconfig(file: string, values: Parameters<typeof kubeconfigText>[0]): void {
    writeFileSync(file, kubeconfigText(values), { mode: 0o600 });
}

async function createAll(client: ApiClient, file: string): Promise<void> {
    for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
        const manifest = document.toJS() as Manifest;
        await client.request("POST", collectionOf(manifest), manifest);
    }
}

function collectionOf({ kind, metadata }: Manifest): string {
    if (kind === "ServiceAccount") return `/api/v1/namespaces/${metadata.namespace}/serviceaccounts`;
    const collection = COLLECTIONS[kind];
    if (collection === undefined) throw new Error(`Local clusters cannot create a ${kind}: add it to bootstrap.ts`);
    return collection;
}

/** A new kind is served a moment after its definition is accepted. */
async function peersServed(client: ApiClient): Promise<void> {
    for (;;) {
        try {
            await client.request("GET", "/apis/kilo.squat.ai/v1alpha1/peers?limit=1");
            return;
        } catch (error) {
            if (!hasStatus(error, 404)) throw error;
            await sleep(50);
        }
    }
}
