import { forkDoubles } from "../../../bench/support/fleet/doubles";
import { apiContract } from "../../support/api-contract";
import { openRawApi } from "../../support/raw-api";

describe("the doubles of a fleet, with TLS in a process of their own, keep the contract of a real API server", () => {
    apiContract(async () => {
        const doubles = forkDoubles();
        const { contract } = await doubles.ask({ act: "start", names: ["contract"], delayMs: 0 });
        return {
            adminKubeconfig: contract!.adminKubeconfig,
            kubeconfig: contract!.kubeconfig,
            async putNodes(nodes) {
                await doubles.ask({ act: "nodes", name: "contract", nodes: nodes.map((metadata) => ({ metadata })) });
            },
            close: () => doubles.close(),
        };
    });
});

describe("the process of the doubles", () => {
    test("tells what each cluster was asked since the last time", async () => {
        const doubles = forkDoubles();
        const started = await doubles.ask({ act: "start", names: ["a", "b"], delayMs: 0 });
        const api = await openRawApi(started.a!.kubeconfig);
        await api.request("GET", "/api/v1/nodes?limit=500");
        await api.request("GET", "/api/v1/namespaces/kube-system");
        await api.request("DELETE", "/apis/kilo.squat.ai/v1alpha1/peers/none");
        const first = await doubles.ask({ act: "calls" });
        expect(first.clusters).toEqual({ a: { lists: 1, gets: 1, writes: 1 }, b: { lists: 0, gets: 0, writes: 0 } });
        expect((await doubles.ask({ act: "calls" })).clusters.a).toEqual({ lists: 0, gets: 0, writes: 0 });
        await api.close();
        await doubles.close();
    });

    test("has every node check in, and whoever watches hears of it", async () => {
        const doubles = forkDoubles();
        const { a } = await doubles.ask({ act: "start", names: ["a"], delayMs: 0 });
        const nodes = ["n1", "n2"].map((name) => ({ metadata: { name } }));
        await doubles.ask({ act: "nodes", name: "a", nodes });
        const api = await openRawApi(a!.kubeconfig);
        const { json } = await api.request("GET", "/api/v1/nodes");
        const watch = await api.watch(`/api/v1/nodes?watch=1&resourceVersion=${json.metadata!.resourceVersion}`);
        expect(await doubles.ask({ act: "beat", seconds: 0.2 })).toBe(0);
        for (const name of ["n1", "n2", "n1"]) {
            const { type, object } = (await watch.next())!;
            expect([type, object.metadata?.name]).toEqual(["MODIFIED", name]);
            expect(Number(object.metadata?.annotations?.["kilo.squat.ai/last-seen"])).toBeGreaterThan(1_700_000_000);
        }
        expect(await doubles.ask({ act: "beat", seconds: 0 })).toBeGreaterThanOrEqual(3);
        watch.close();
        await api.close();
        await doubles.close();
    });

    test("says why an order could not be obeyed, and that it has ended", async () => {
        const doubles = forkDoubles();
        await expect(doubles.ask({ act: "silence", name: "nobody", on: true })).rejects.toThrow("no double nobody");
        await doubles.close();
        await expect(doubles.ask({ act: "calls" })).rejects.toThrow("has ended");
    });
});
