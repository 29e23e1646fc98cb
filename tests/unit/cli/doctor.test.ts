import { stringify } from "yaml";
import { CHECKS } from "../../../cli/doctor/finding";
import { doctorText } from "../../../cli/doctor/text";
import { plain } from "../../../cli/render/paint";
import { findings, report, withPeer } from "./support/doctor";
import { runCli } from "./support/run-cli";
import { annotated, type Failed, healthy, permissions, type Scenario, unmeshed, withCluster } from "./support/scenario";
import { silenced } from "./support/tunnel-scenarios";

describe("a member that cannot be read", () => {
    const failing = (failure: Partial<Failed>): Scenario =>
        withCluster(healthy(), "tokyo", () => ({
            ok: false,
            state: "unusable",
            kind: "unreachable",
            message: "cluster tokyo: it failed",
            fix: "Fix it",
            ...failure,
        }));

    test.each([
        ["unreachable", "timeout", "Unreachable", [], "get --raw /livez"],
        ["unreachable", "tls", "TlsFailed", ["answers"], "get --raw /livez"],
        ["unauthorized", undefined, "NotSignedIn", ["answers", "TLS"], "auth whoami"],
        ["forbidden", undefined, "PermissionMissing", ["answers", "TLS", "signs in"], "apply -f"],
        [
            "crd-missing",
            undefined,
            "PeerKindMissing",
            ["answers", "TLS", "signs in", "permissions"],
            "get crd peers.kilo.squat.ai",
        ],
        ["config", undefined, "KubeconfigUnusable", [], "Correct kubeconfig of tokyo in prod.yaml"],
    ] as const)("%s (%s) is %s", (kind, network, code, passed, next) => {
        const scenario = failing({ kind, ...(network === undefined ? {} : { network }) });
        const [found, ...rest] = findings(scenario).filter(({ cluster }) => cluster === "tokyo");
        expect(rest).toEqual([]);
        expect(found).toMatchObject({ code, severity: "error" });
        expect(found?.next).toContain(next);
        const health = report(scenario).clusters.find(({ cluster }) => cluster === "tokyo");
        expect(health?.passed).toEqual(passed);
        expect(health?.notChecked).toContain("mesh peers");
    });

    test("hides nothing of the others", () => {
        const { clusters } = report(failing({}));
        expect(clusters.slice(0, 2).map(({ passed }) => passed.length)).toEqual([CHECKS.length, CHECKS.length]);
    });
});

describe("permissions", () => {
    const allowed = (reviewed: ReturnType<typeof permissions>): Scenario => {
        const { mesh, sight } = healthy();
        return { mesh, sight: { ...sight, permissions: { ...sight.permissions, hub: reviewed } } };
    };

    test("each verb that is missing is named, with the manifest to apply", () => {
        const found = findings(allowed(permissions(["patch peers", "delete peers"])));
        expect(found.map(({ what }) => what)).toEqual([
            "the account may not patch peers.kilo.squat.ai",
            "the account may not delete peers.kilo.squat.ai",
        ]);
        expect(found[0]?.next).toBe(
            "kubectl apply -f node_modules/pulumi-kilo-clustermesh/docs/rbac.yaml   # as an administrator of hub",
        );
    });

    test("a cluster that does not tell is no failure", () => {
        const unknown = permissions().map((each) => ({ ...each, allowed: "unknown" as const }));
        expect(findings(allowed(unknown))).toMatchObject([{ code: "PermissionUnknown", severity: "info" }]);
    });

    test("the identity of a cluster that may not be read is a notice: it is not guarded, and all else works", () => {
        const scenario = allowed(permissions(["get namespaces"]));
        expect(findings(scenario)).toMatchObject([
            { code: "PermissionMissing", severity: "info", what: "the account may not get namespaces kube-system" },
        ]);
        expect(report(scenario).clusters[0]?.passed).toContain("permissions");
    });

    test("a Secret that holds another member's kubeconfig must be readable", () => {
        const secret = { verb: "get", group: "", resource: "secrets", namespace: "capi", name: "tokyo-kubeconfig" };
        const [found] = findings(allowed([{ ...secret, allowed: false }]));
        expect(found?.what).toBe("the account may not get secrets capi/tokyo-kubeconfig");
        expect(found?.next).toContain("auth can-i get secrets/tokyo-kubeconfig -n capi");
    });
});

test("what planning found about the mesh is told too: two members behind NAT cannot meet", () => {
    const both = healthy({ specs: { berlin: { nat: true }, tokyo: { nat: true } } });
    expect(findings(both)).toContainEqual(expect.objectContaining({ code: "NatToNat", severity: "warning" }));
});

test("the command to run next names the mesh file that was given", () => {
    const missing = withCluster(healthy(), "hub", (sight) => ({ ...sight, peers: sight.peers.slice(1) }));
    expect(findings(missing)[0]?.next).toBe("npx kilo-clustermesh plan --target hub -f prod.yaml");
});

test("many findings of one kind are cut short in text, and complete in JSON", () => {
    const scenario = unmeshed(healthy({ nodes: 30 }));
    const broken = withCluster(scenario, "hub", (sight) => ({
        ...sight,
        nodes: sight.nodes.map((node) => annotated(node, { "kilo.squat.ai/key": "short" })),
    }));
    const full = report(broken);
    expect(full.findings.filter(({ code }) => code === "NodePublicKeyInvalid")).toHaveLength(30);
    const text = doctorText(full, { paint: plain, width: 100 }).join("\n");
    expect(text).toContain("… and 25 more NodePublicKeyInvalid: --json has them all");
});

test("a name from a cluster cannot become a command", () => {
    const hostile = withPeer("x; rm -rf $HOME 'y'", { allowedIPs: ["0.0.0.0/0"] });
    expect(findings(hostile)[0]?.next).toBe(
        `kubectl --kubeconfig hub.kubeconfig get peer 'x; rm -rf $HOME '\\''y'\\''' -o yaml`,
    );
});

describe("the kubeconfig that a command names", () => {
    const SECRET = Buffer.from("apiVersion: v1\nkind: Config\nusers: [{ user: { token: top-secret } }]").toString(
        "base64",
    );
    const MESH = (kubeconfig: string) => ({
        "mesh.yaml": stringify({
            mesh: "global",
            clusters: ["hub", "berlin", "tokyo"].map((name, i) => ({
                name,
                kubeconfig: name === "tokyo" ? kubeconfig : "kubeconfig",
                podCIDRs: [`10.${16 + i}.0.0/16`],
            })),
        }),
        kubeconfig: "",
    });
    const { sight } = failingConfig();

    test.each(["doctor", "doctor --json", "status", "plan"])(
        "is never one that is encoded in the mesh file: %s",
        async (line) => {
            const { out, err } = await runCli(line.split(" "), undefined, {
                files: MESH(SECRET),
                look: async () => sight,
            });
            expect(out).toContain("tokyo");
            expect(out + err).not.toContain(SECRET.slice(0, 20));
        },
    );

    test("is the file where there is one", async () => {
        const { out } = await runCli(["doctor"], undefined, { files: MESH("kubeconfig"), look: async () => sight });
        expect(out).toContain("next kubectl --kubeconfig kubeconfig config view --minify");
    });

    function failingConfig(): Scenario {
        return withCluster(healthy(), "tokyo", () => ({
            ok: false,
            state: "unusable",
            kind: "config",
            message: "cluster tokyo: kubeconfig was taken for the path of a file, which could not be read (ENOENT)",
            fix: "Check the path and its permissions",
        }));
    }
});

describe("a node that reaches nobody", () => {
    const codesOf = (scenario: Scenario): readonly string[] =>
        report(scenario).findings.flatMap(({ code, cluster }) => (code === "TunnelsNotSeen" ? [cluster ?? ""] : []));

    test("is found where others of its cluster reach somebody", () => {
        expect(codesOf(silenced(healthy(), (node) => node === "berlin-n3"))).toEqual(["berlin"]);
    });

    test("is not told from one that has sent nothing where all are silent, nor expected to reach anybody when left out", () => {
        expect(codesOf(silenced(healthy(), () => true))).toEqual([]);
        const excluded = healthy({ specs: { berlin: { excludeNodes: ["berlin-n3"] } } });
        expect(codesOf(silenced(excluded, (node) => node === "berlin-n3"))).toEqual([]);
    });
});
