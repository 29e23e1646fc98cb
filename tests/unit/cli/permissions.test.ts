import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { reviewAccess } from "../../../provider/kube/access-review";
import { kubeconfigFor } from "../../support/kubeconfig";

let server: Server;
let asked: { url: string; body: unknown }[];
let answer: (verb: string) => { status: number; body: unknown };

beforeEach(async () => {
    asked = [];
    server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { spec: { resourceAttributes: { verb: string } } };
        asked.push({ url: `${request.method} ${request.url}`, body });
        const { status, body: said } = answer(body.spec.resourceAttributes.verb);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

const PEERS = { group: "kilo.squat.ai", resource: "peers" };
const PERMISSIONS = [
    { verb: "list", ...PEERS },
    { verb: "delete", ...PEERS },
];

const review = () => {
    const { port } = server.address() as AddressInfo;
    const kubeconfig = kubeconfigFor({ server: `http://127.0.0.1:${port}`, token: "t" });
    return reviewAccess({ cluster: "hub", kubeconfig }, PERMISSIONS, { requestTimeoutSeconds: 5 });
};

test("each permission is asked for once, in the words of RBAC, and answered in order", async () => {
    answer = (verb) => ({ status: 201, body: { status: { allowed: verb === "list" } } });
    expect(await review()).toEqual([
        { verb: "list", ...PEERS, allowed: true },
        { verb: "delete", ...PEERS, allowed: false },
    ]);
    expect(asked.map(({ url }) => url)).toEqual(
        Array(2).fill("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    );
    expect(asked.map(({ body }) => body)).toContainEqual({
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "delete", ...PEERS } },
    });
});

test.each([
    ["may not ask", { status: 403, body: { message: "forbidden" } }],
    ["asks a server that does not know the question", { status: 404, body: {} }],
    ["gets an answer without a verdict", { status: 201, body: {} }],
])("an account that %s knows nothing, and that is no failure", async (_, said) => {
    answer = () => said;
    expect((await review()).map(({ allowed }) => allowed)).toEqual(["unknown", "unknown"]);
});

test("a kubeconfig that cannot be used gives no answer either", async () => {
    const reviewed = await reviewAccess({ cluster: "hub", kubeconfig: "/does/not/exist" }, PERMISSIONS, {
        requestTimeoutSeconds: 5,
    });
    expect(reviewed.map(({ allowed }) => allowed)).toEqual(["unknown", "unknown"]);
});
