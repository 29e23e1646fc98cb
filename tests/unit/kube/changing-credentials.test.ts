import { readFile } from "node:fs/promises";
import { openCluster } from "../../../provider/kube/client";
import { type Clock, systemClock } from "../../../provider/kube/http/clock";
import { type ApiDouble, startApiDouble } from "../../support/api-double";
import { failureOf } from "../../support/failure-of";
import { kubeconfigFor } from "../../support/kubeconfig";
import { temporaryDirectory } from "../../support/temporary";

let double: ApiDouble;
beforeEach(async () => {
    double = await startApiDouble();
});
afterEach(() => double.close());

describe("credentials that change while we work", () => {
    test("a token file that was rotated is read again after a 401, once for all calls in flight", async () => {
        const files = await temporaryDirectory();
        const tokenFile = await files.file("token", "first");
        double.accounts.set("first", { user: "me", rules: "everything" });
        const kubeconfig = kubeconfigFor({ server: double.url, user: { tokenFile } });
        const rotating = await openCluster({ cluster: "edge", kubeconfig });
        await rotating.listPeers();
        double.accounts.delete("first");
        double.accounts.set("second", { user: "me", rules: "everything" });
        await files.file("token", "second");
        const lists = await Promise.all(Array.from({ length: 8 }, () => rotating.listPeers()));
        await rotating.close();
        await files.remove();
        expect(lists).toHaveLength(8);
    });

    test("a token that stays refused is unauthorized after one request", async () => {
        const refused = await openCluster({
            cluster: "edge",
            kubeconfig: kubeconfigFor({ server: double.url, token: "old" }),
        });
        expect(await failureOf(refused.listPeers())).toMatchObject({ kind: "unauthorized" });
        await refused.close();
        expect(double.requests).toBe(1);
    });

    /** A plugin that writes down each run and gives `token`, an expression, for an hour. */
    async function plugin(token: string) {
        const files = await temporaryDirectory();
        const log = await files.file("runs", "");
        const script = `const fs = require("fs"), log = ${JSON.stringify(log)};
            fs.appendFileSync(log, "x");
            const runs = fs.readFileSync(log).length, until = new Date(Date.now() + 3600e3).toISOString();
            console.log(JSON.stringify({status: {token: ${token}, expirationTimestamp: until}}))`;
        const exec = { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args: ["-e", script] };
        return {
            kubeconfig: kubeconfigFor({ server: double.url, user: { exec } }),
            runs: async (): Promise<number> => (await readFile(log, "utf8")).length,
            remove: files.remove,
        };
    }

    test("a plugin is asked once for many calls, and once again before its token expires", async () => {
        const { kubeconfig, runs, remove } = await plugin('"token-" + runs');
        double.accounts.set("token-1", { user: "me", rules: "everything" });
        double.accounts.set("token-2", { user: "me", rules: "everything" });
        let offset = 0;
        const clock: Clock = { ...systemClock, now: () => Date.now() + offset };
        const pluggedIn = await openCluster({ cluster: "edge", kubeconfig }, { clock });
        for (let at = 0; at < 5; at++) await pluggedIn.listPeers();
        expect(await runs()).toBe(1);
        offset = 3595e3;
        await Promise.all(Array.from({ length: 5 }, () => pluggedIn.listPeers()));
        expect(await runs()).toBe(2);
        await pluggedIn.close();
        await remove();
    });

    test("a plugin that keeps giving a refused token is not run for every call", async () => {
        const { kubeconfig, runs, remove } = await plugin('"refused"');
        const refused = await openCluster({ cluster: "edge", kubeconfig });
        for (let at = 0; at < 5; at++)
            expect(await failureOf(refused.listPeers())).toMatchObject({ kind: "unauthorized" });
        await refused.close();
        expect(await runs()).toBe(2);
        await remove();
    });
});
