import { setTimeout as sleep } from "node:timers/promises";
import { openRawApi } from "../../../tests/support/raw-api";
import { STACK_CRD } from "../../../tests/support/stack-crd";
import type { LocalCluster } from "../../../tools/clusters";

/** A Stack of the Pulumi Kubernetes Operator, with somebody in the place of the operator who takes in every request. */
export interface StackObject {
    /** `<namespace>/<name>` */
    readonly name: string;
    /** When the next request has arrived, by `performance.now()`. */
    asked(): Promise<number>;
    /** Milliseconds of one change of its annotations, by the account of the mesh and over a connection that is open. */
    call(): Promise<number>;
    close(): Promise<void>;
}

const [NAMESPACE, NAME] = ["infra", "mesh"];
const STACKS = `/apis/pulumi.com/v1/namespaces/${NAMESPACE}/stacks`;
const REQUEST = "pulumi.com/reconciliation-request";
const ROLES = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;

/** Installs the kind, and allows the account of the mesh to change that one object. */
export async function createStackObject(cluster: LocalCluster): Promise<StackObject> {
    await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", STACK_CRD);
    await cluster.request("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    await cluster.request("POST", `${ROLES}/roles`, {
        metadata: { name: NAME },
        rules: [{ apiGroups: ["pulumi.com"], resources: ["stacks"], resourceNames: [NAME], verbs: ["patch"] }],
    });
    await cluster.request("POST", `${ROLES}/rolebindings`, {
        metadata: { name: NAME },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: NAME },
        subjects: [{ kind: "ServiceAccount", name: "kilo-clustermesh", namespace: "kilo-clustermesh" }],
    });
    const stack = { apiVersion: "pulumi.com/v1", kind: "Stack", metadata: { name: NAME }, spec: { stack: NAME } };
    await untilServed(() => cluster.request("POST", STACKS, stack));

    const [admin, member] = await Promise.all([cluster.adminKubeconfig, cluster.kubeconfig].map(openRawApi));
    const watch = await admin!.watch(`${STACKS}?watch=1`);
    let latest: string | undefined;
    let waiting: ((at: number) => void)[] = [];
    const operate = async (): Promise<void> => {
        for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
            const request = event.object.metadata?.annotations?.[REQUEST];
            if (request === undefined || request === latest) continue;
            latest = request;
            const at = performance.now();
            for (const tell of waiting) tell(at);
            waiting = [];
            const lastUpdate = { reconcileRequest: request, state: "succeeded" };
            await admin!.request("PATCH", `${STACKS}/${NAME}/status`, { status: { lastUpdate } });
        }
    };
    const operating = operate().catch(() => undefined);
    let calls = 0;
    return {
        name: `${NAMESPACE}/${NAME}`,
        asked: () => new Promise((resolve) => waiting.push(resolve)),
        async call() {
            const begun = performance.now();
            const body = { metadata: { annotations: { "bench/call": String(++calls) } } };
            const { status, text } = await member!.request("PATCH", `${STACKS}/${NAME}`, body);
            if (status !== 200) throw new Error(`the Stack cannot be changed: ${text}`);
            return performance.now() - begun;
        },
        async close() {
            watch.close();
            await Promise.all([admin!.close(), member!.close()]);
            await operating;
        },
    };
}

/** A kind is served a moment after it was installed. */
async function untilServed(create: () => Promise<unknown>): Promise<void> {
    for (let round = 0; ; round++) {
        try {
            await create();
            return;
        } catch (error) {
            if (round >= 100) throw error;
            await sleep(100);
        }
    }
}
