import { createServer } from "node:http";
import { operatorRunner } from "../../../../cli/watch/operator-runner";
import type { RunEnd } from "../../../../cli/watch/runner";
import { close, listen } from "../../../support/api-double";
import { kubeconfigFor } from "../../../support/kubeconfig";

type Status = (request: string) => unknown;

/** Asks an operator for an update that says these things of it, one after the other, and the last one for good. */
async function update(
    ...statuses: readonly Status[]
): Promise<{ readonly end: RunEnd; readonly requests: readonly string[] }> {
    const requests: string[] = [];
    let now = 0;
    const server = createServer(async (request, response) => {
        let text = "";
        for await (const chunk of request) text += String(chunk);
        expect([request.method, request.url]).toEqual(["PATCH", "/apis/pulumi.com/v1/namespaces/infra/stacks/mesh"]);
        const asked = JSON.parse(text).metadata.annotations["pulumi.com/reconciliation-request"] as string;
        const status = statuses[Math.min(requests.push(asked), statuses.length) - 1]!;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ kind: "Stack", status: status(asked) }));
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const runner = operatorRunner({
        stack: { namespace: "infra", name: "mesh" },
        access: async () => ({ cluster: "hub", kubeconfig: kubeconfigFor({ server: url, token: "a-token" }) }),
        requestTimeoutSeconds: 5,
        clock: {
            now: () => now,
            random: () => 0,
            async sleep(milliseconds) {
                now += milliseconds;
            },
        },
        waitSeconds: 60,
    });
    try {
        return { end: await runner.start().done, requests };
    } finally {
        await close(server);
    }
}

const seen: Status = (request) => ({
    observedReconcileRequest: request,
    lastUpdate: { state: "failed", message: "earlier" },
});
const ended =
    (state: string, message = ""): Status =>
    (request) => ({ observedReconcileRequest: request, lastUpdate: { reconcileRequest: request, state, message } });

test("a request that the operator has only seen is not done: the update that it was made for is waited for", async () => {
    const { end, requests } = await update(() => undefined, seen, seen, ended("succeeded"));
    expect(end).toEqual({ isOk: true, how: "done", lines: [] });
    expect(requests).toHaveLength(4);
    expect(new Set(requests).size).toBe(1);
});

test("an update that failed is told with the words of the operator", async () => {
    const { end } = await update(seen, ended("failed", "exit status 255"));
    expect(end).toEqual({ isOk: false, how: "the update failed", lines: ["exit status 255"] });
});

test("an update that does not end in time is not done", async () => {
    expect((await update(seen)).end).toMatchObject({
        isOk: false,
        how: "the operator has not finished an update for it",
    });
});
