import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openCluster } from "../../../provider/kube/client";
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
