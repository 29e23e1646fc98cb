import { validateMesh } from "../../../provider/mesh/args/validate";
import { a, b, found, mesh } from "./arguments";

describe("shape", () => {
    test.each<[string, unknown, readonly string[]]>([
        ["nothing", undefined, ["ArgumentInvalid "]],
        ["null", null, ["ArgumentInvalid "]],
        ["a text", "mesh", ["ArgumentInvalid "]],
        ["no clusters", { mesh: "m" }, ["ArgumentInvalid clusters"]],
        ["no name", { clusters: [a(), b()] }, ["ArgumentInvalid mesh"]],
        ["clusters of the wrong type", { mesh: "m", clusters: "a" }, ["ArgumentInvalid clusters"]],
        ["a cluster that is null", { mesh: "m", clusters: [a(), null, b()] }, ["ArgumentInvalid clusters[1]"]],
        [
            "a cluster without a name",
            { mesh: "m", clusters: [a(), { podCIDRs: ["10.9.0.0/16"] }] },
            ["ArgumentInvalid clusters[1].name"],
        ],
        [
            "a list with a number",
            mesh({}, { podCIDRs: ["10.1.0.0/16", 7] }),
            ["ArgumentInvalid clusters[0].podCIDRs[1]"],
        ],
        ["a text for a list", mesh({}, { podCIDRs: "10.1.0.0/16" }), ["ArgumentInvalid clusters[0].podCIDRs"]],
        ["port 0", mesh({}, { wireguardPort: 0 }), ["ArgumentInvalid clusters[0].wireguardPort"]],
        ["port 65536", mesh({}, { wireguardPort: 65536 }), ["ArgumentInvalid clusters[0].wireguardPort"]],
        ["half a port", mesh({}, { wireguardPort: 1.5 }), ["ArgumentInvalid clusters[0].wireguardPort"]],
        ["keepalive -1", mesh({}, { persistentKeepalive: -1 }), ["ArgumentInvalid clusters[0].persistentKeepalive"]],
        [
            "keepalive 65536",
            mesh({}, { persistentKeepalive: 65536 }),
            ["ArgumentInvalid clusters[0].persistentKeepalive"],
        ],
        [
            "a label that is a number",
            mesh({}, { nodeSelector: { x: 1 } }),
            ["ArgumentInvalid clusters[0].nodeSelector.x"],
        ],
        ["labels as a list", mesh({}, { nodeSelector: [] }), ["ArgumentInvalid clusters[0].nodeSelector"]],
        ["nat as a text", mesh({}, { nat: "yes" }), ["ArgumentInvalid clusters[0].nat"]],
        ["an empty kubeconfig", mesh({}, { kubeconfig: "" }), ["ArgumentInvalid clusters[0].kubeconfig"]],
        [
            "half a secret",
            mesh({}, { kubeconfigSecret: { cluster: "b", namespace: "", name: "n" } }),
            [
                "ArgumentInvalid clusters[0].kubeconfigSecret.key",
                "ArgumentInvalid clusters[0].kubeconfigSecret.namespace",
            ],
        ],
        ["an unknown policy", mesh({ onUnreachable: "ignore" }), ["ArgumentInvalid onUnreachable"]],
        ["an unknown policy for what cannot be used", mesh({ onUnusable: "skip" }), ["ArgumentInvalid onUnusable"]],
        ["a wait of less than nothing", mesh({ waitForNodes: -1 }), ["ArgumentInvalid waitForNodes"]],
        ["a wait of hours", mesh({ waitForNodes: 3601 }), ["ArgumentInvalid waitForNodes"]],
        ["a kubeconfig that is any object", mesh({}, { kubeconfig: {} }), ["ArgumentInvalid clusters[0].kubeconfig"]],
        ["a timeout of 0", mesh({ requestTimeout: 0 }), ["ArgumentInvalid requestTimeout"]],
        ["a timeout of hours", mesh({ requestTimeout: 3601 }), ["ArgumentInvalid requestTimeout"]],
        ["a warning at 0", mesh({ peerWarning: 0 }), ["ArgumentInvalid peerWarning"]],
        ["a topology of the wrong type", mesh({ topology: "full" }), ["ArgumentInvalid topology"]],
        ["a link that is a text", mesh({ topology: { links: ["a-b"] } }), ["ArgumentInvalid topology.links[0]"]],
        ["an unknown argument", mesh({ toplogy: {} }), ["ArgumentUnknown toplogy"]],
        ["an unknown field", mesh({}, {}, { podCidrs: [] }), ["ArgumentUnknown clusters[1].podCidrs"]],
        [
            "an unknown part of a secret",
            mesh({}, { kubeconfigSecret: { cluster: "b", namespace: "n", name: "n", key: "k", x: 1 } }),
            ["ArgumentUnknown clusters[0].kubeconfigSecret.x"],
        ],
        [
            "an unknown part of a link",
            mesh({ topology: { links: [{ a: "a", b: "b", c: "c" }] } }),
            ["ArgumentUnknown topology.links[0].c"],
        ],
        ["an unknown topology", mesh({ topology: { hub: ["a"] } }), ["ArgumentUnknown topology.hub"]],
        ["a field with an odd name", mesh({ "a b\n": 1 }), ['ArgumentUnknown ["a b\\u000a"]']],
    ])("%s is a finding", (_, args, expected) => {
        expect(found(args)).toEqual(expected);
    });

    test.each<[object, object, string]>([
        [{ toplogy: {} }, {}, "Did you mean topology?"],
        [{ request_timeout: 1 }, {}, "Did you mean requestTimeout?"],
        [{}, { podCidrs: [] }, "Did you mean podCIDRs?"],
        [{}, { wireguardCidr: "" }, "Did you mean wireguardCIDR?"],
        [{}, { persistentKeepAlive: 1 }, "Did you mean persistentKeepalive?"],
        [{}, { kubeConfig: "x" }, "Did you mean kubeconfig?"],
        [{}, { nodeCIDR: [] }, "Did you mean nodeCIDRs?"],
        [{ topology: { hub: ["a"] } }, {}, "Did you mean hubs?"],
    ])("an unknown field in %j or %j is met with the nearest known one", (args, cluster, fix) => {
        expect(validateMesh(mesh(args, cluster)).map((issue) => issue.fix)).toEqual([fix]);
    });

    test.each<[object, object, string]>([
        [{ onUnusable: "skip" }, {}, 'onUnusable must be "fail" or "warn"'],
        [{ waitForNodes: "1" }, {}, "waitForNodes must be a number of seconds from 0 to 3600"],
        [{ waitForNodes: -1 }, {}, "waitForNodes must be a number of seconds from 0 to 3600"],
        [{ waitForNodes: 3601 }, {}, "waitForNodes must be a number of seconds from 0 to 3600"],
        [{ requestTimeout: 0 }, {}, "requestTimeout must be a number of seconds above 0 and up to 3600"],
        [{ requestTimeout: 3601 }, {}, "requestTimeout must be a number of seconds above 0 and up to 3600"],
        [{ peerWarning: 0 }, {}, "peerWarning must be a whole number from 1 to 1000000000"],
        [{}, { wireguardPort: 65536 }, "clusters[0].wireguardPort must be a whole number from 1 to 65535"],
        [{}, { excludeNodes: "n1" }, "clusters[0].excludeNodes must be a list of node names"],
    ])("%j or %j is met with what is allowed", (args, cluster, message) => {
        expect(validateMesh(mesh(args, cluster)).map((issue) => issue.message)).toEqual([message]);
    });

    test.each([{ onUnusable: "fail" }, { onUnusable: "warn" }, { waitForNodes: 0 }, { waitForNodes: 3600 }])(
        "%j is fine",
        (args) => {
            expect(found(mesh(args))).toEqual([]);
        },
    );

    test("an unknown field that resembles nothing is met with all there are", () => {
        const [issue] = validateMesh(mesh({ topology: { hubs: ["a"], somethingElse: 1 } }));
        expect(issue?.fix).toBe("Remove it; the fields are hubs, links");
    });

    test("what is well-formed is still checked: all findings at once", () => {
        const args = {
            mesh: "Not A Label",
            clusters: [
                a({ wireguardPort: "51820", podCIDRs: ["10.1.0.0/16", 7, "10.1.5.1/24"] }),
                b({ name: "a", serviceCIDR: "10.1.9.0/24", typo: true }),
                7,
            ],
            topology: { hubs: ["nobody"] },
        };
        expect(found(args, { requireAccess: true })).toEqual([
            "ArgumentInvalid clusters[0].podCIDRs[1]",
            "CidrHostBits clusters[0].podCIDRs[2]",
            "ArgumentInvalid clusters[0].wireguardPort",
            "AccessMissing clusters[1]",
            "NameDuplicate clusters[1].name",
            "CidrOverlap clusters[1].serviceCIDR",
            "ArgumentUnknown clusters[1].typo",
            "ArgumentInvalid clusters[2]",
            "NameInvalid mesh",
            "ReferenceUnknown topology.hubs[0]",
        ]);
    });

    test("arguments that throw when looked at are a finding, not an exception", () => {
        const hostile = new Proxy({}, { ownKeys: () => boom(), get: () => boom() });
        const boom = (): never => {
            throw new Error("boom");
        };
        expect(found(hostile)).toEqual(["ArgumentUnreadable "]);
    });

    test("a structure that contains itself is read once", () => {
        const cyclic: Record<string, unknown> = mesh();
        cyclic.self = cyclic;
        expect(found(cyclic)).toEqual(["ArgumentUnknown self"]);
    });

    test("no message shows a kubeconfig", () => {
        const secret = "token: hunter2";
        const args = [
            mesh({}, { kubeconfig: secret, local: true, kubeconfigSecret: secret }),
            mesh({}, { kubeconfig: { content: secret } }),
            mesh({}, { kubeconfig: [secret], nat: secret }),
        ];
        expect(JSON.stringify(args.map((given) => validateMesh(given, { requireAccess: true })))).not.toContain(
            "hunter2",
        );
    });
});
