import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { openCluster } from "../../../provider/kube/client";
import { observeClusters } from "../../../provider/observe/observe-clusters";
import { startApiDouble } from "../../support/api-double";
import { TestCa } from "../../support/certificates";
import { kubeconfigFor } from "../../support/kubeconfig";

test("thousands of deletes share their connections, though each has a body", async () => {
    let connections = 0;
    const server = createServer((request, response) => {
        request.resume().on("end", () => {
            response.writeHead(200, { "content-type": "application/json" }).end('{"kind":"Status","status":"Success"}');
        });
    }).on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = await openCluster({ cluster: "edge", kubeconfig: kubeconfigFor({ server: url, token: "t" }) });
    try {
        for (let at = 0; at < 40; at++) expect(await client.deletePeer(`peer-${at}`, `uid-${at}`)).toBe("deleted");
        // A busy machine may see one time out between two deletes; forty would mean one each.
        expect(connections).toBeLessThan(5);
    } finally {
        await client.close();
        server.close();
    }
});

test("looking at a cluster reads its certificates once, not for each connection", async () => {
    const ca = new TestCa();
    const double = await startApiDouble({
        tls: { ...ca.issue({ commonName: "double", hosts: ["127.0.0.1"] }), ca: ca.cert },
    });
    const contexts = jest.spyOn(tls, "createSecureContext");
    const connections = jest.spyOn(tls, "connect");
    try {
        const access = { cluster: "edge", kubeconfig: double.kubeconfig };
        const { clusters } = await observeClusters([{ name: "edge", access }], { requestTimeoutSeconds: 10 });
        expect(clusters.edge).toMatchObject({ ok: true, identity: double.namespaces.get("kube-system") });
        expect(connections.mock.calls.length).toBeGreaterThan(1);
        expect(contexts).toHaveBeenCalledTimes(1);
    } finally {
        jest.restoreAllMocks();
        await double.close();
    }
});
