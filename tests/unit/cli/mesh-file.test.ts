import { kubectl } from "../../../cli/doctor/kubectl";
import { MESH_FILE } from "../../../cli/help";
import { parseMeshText } from "../../../cli/mesh-file";
import { parseYaml } from "../../../cli/yaml-lines";
import { runCli } from "./support/run-cli";

const GOOD = `
mesh: global
clusters:
  - name: hub
    kubeconfig: kube/hub.yaml
    podCIDRs: [10.1.0.0/16]
  - name: edge
    kubeconfig: ~/.kube/edge
    context: admin
    podCIDRs: [10.2.0.0/16]
  - name: far
    kubeconfig: /etc/far.yaml
    allowedNetworks: [10.3.0.0/16]
`;

test("a kubeconfig's path is relative to the mesh file, unless it is absolute or in the home directory", () => {
    const { clusters } = parseMeshText(GOOD, "mesh.yaml", "/srv/net");
    expect(clusters.map(({ kubeconfig }) => kubeconfig)).toEqual([
        "/srv/net/kube/hub.yaml",
        "~/.kube/edge",
        "/etc/far.yaml",
    ]);
});

test("clusters may be a map by name, and a kubeconfig an object", async () => {
    const text = `
mesh: global
clusters:
  hub:
    kubeconfig: kube/hub.yaml
    podCIDRs: [10.1.0.0/16]
  edge:
    kubeconfig: { clusters: [], contexts: [], current-context: edge }
    podCIDRs: [10.2.0.0/16]
`;
    expect(parseMeshText(text, "mesh.yaml", "/srv").clusters).toEqual([
        { name: "hub", kubeconfig: "/srv/kube/hub.yaml", podCIDRs: ["10.1.0.0/16"] },
        {
            name: "edge",
            kubeconfig: '{"clusters":[],"contexts":[],"current-context":"edge"}',
            podCIDRs: ["10.2.0.0/16"],
        },
    ]);
    expect(() => parseMeshText(text.replace("10.2.0.0/16", "10.1.0.0/24"), "mesh.yaml", "/srv")).toThrow(
        "mesh.yaml:9  clusters.edge.podCIDRs[0]",
    );
});

test("a kubeconfig that is written out in the file is left as it is", () => {
    const inline = GOOD.replace("kube/hub.yaml", "|\n      apiVersion: v1\n      kind: Config");
    expect(parseMeshText(inline, "mesh.yaml", "/srv").clusters[0]?.kubeconfig).toContain("kind: Config");
});

test("a kubeconfig in base64 is not taken for a path, nor printed in a command to run next", () => {
    const encoded = Buffer.from("apiVersion: v1\nkind: Config\nusers: [{user: {token: very-secret}}]").toString(
        "base64",
    );
    const hub = parseMeshText(GOOD.replace("kube/hub.yaml", encoded), "mesh.yaml", "/srv").clusters[0]!;
    expect(hub.kubeconfig).toBe(encoded);
    expect(kubectl(hub, "/srv", "get", "nodes")).toBe("kubectl --kubeconfig hub.kubeconfig get nodes");
});

test("everything that is wrong is told at once, each with its line", async () => {
    const files = {
        "mesh.yaml": [
            "mesh: Global", //
            "clusters:",
            "  - name: hub",
            "    kubeconfig: hub.yaml",
            "    podCIDR: [10.1.0.0/16]",
            "  - name: edge",
            "    podCIDRs:",
            "      - 10.2.0.5/16",
            "topology:",
            "  hubs: [hup]",
            "",
        ].join("\n"),
    };
    const { code, out, err } = await runCli(["plan"], undefined, { files });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("no cluster was contacted");
    for (const line of [
        "mesh.yaml:1  mesh: ",
        "mesh.yaml:5  clusters[0].podCIDR: there is no field",
        "Did you mean podCIDRs?",
        "mesh.yaml:6  clusters[1]: nothing says how to reach",
        "mesh.yaml:8  clusters[1].podCIDRs[0]: ",
        "Write 10.2.0.0/16",
        "mesh.yaml:10  topology.hubs[0]: ",
    ]) {
        expect(err).toContain(line);
    }
});

test.each([
    ["", "mesh.yaml  the arguments must be"],
    ["just words", "mesh.yaml:1"],
    ["[]", "mesh.yaml:1"],
])("a file that is no mesh at all (%j) is refused", async (text, where) => {
    const { code, err } = await runCli(["status"], undefined, { files: { "mesh.yaml": text } });
    expect(code).toBe(1);
    expect(err).toContain(where);
});

test("a missing file is named", async () => {
    const { code, err } = await runCli(["plan", "-f", "prod/mesh.yaml"]);
    expect(code).toBe(1);
    expect(err).toContain("there is no file prod/mesh.yaml");
});

test.each([
    ["broken YAML", "mesh: global\nclusters:\n  - name: hub\n    kubeconfig: {token: 's3cr3t-token\n"],
    [
        "a kubeconfig that breaks the file",
        "mesh: a\nclusters:\n - kubeconfig: |\n   token: s3cr3t-token\n  x: *s3cr3t-token\n",
    ],
    ["a secret among duplicate keys", "mesh: a\ns3cr3t-token: 1\ns3cr3t-token: 2\n"],
    ["a secret where a tag is read", "mesh: a\nclusters: !s3cr3t-token []\n"],
    ["a kubeconfig in the wrong place", "mesh: a\nkubeconfig: s3cr3t-token\nclusters: []\n"],
    [
        "a kubeconfig of the wrong type",
        "mesh: a\nclusters:\n  - {name: hub, kubeconfig: [s3cr3t-token], podCIDRs: [10.1.0.0/16]}\n",
    ],
])("content of the file is never printed: %s", async (_, text) => {
    const { code, out, err } = await runCli(["plan"], undefined, { files: { "mesh.yaml": text } });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/mesh\.yaml:\d/);
    expect(err).not.toContain("s3cr3t");
});

test("lines are found in every style of YAML", () => {
    const { lineOf } = parseYaml(
        [
            "# first", //
            "mesh: a",
            "clusters:",
            "- name: hub",
            "  podCIDRs: [10.1.0.0/16,",
            "    10.2.0.0/16]",
            '  nodeSelector: {"a.b/c": x}',
            "- {name: edge, nat: true}",
            "- &far",
            "  name: far",
            "- *far",
        ].join("\n"),
    );
    const found = [
        "",
        "mesh",
        "clusters[0].podCIDRs[1]",
        'clusters[0].nodeSelector["a.b/c"]',
        "clusters[1].nat",
        "clusters[1].missing",
        "clusters[2].name",
        "clusters[3].name",
        "nowhere",
    ].map(lineOf);
    expect(found).toEqual([2, 2, 6, 7, 8, 8, 10, 11, 2]);
});

test.each([
    ["aliases that unfold without end", ["a: &a [x]", ...levels("a"), "mesh: a"].join("\n")],
    ["nesting deeper than any stack", `mesh: ${"[".repeat(20_000)}`],
])("%s are refused", (_, text) => {
    expect(() => parseMeshText(text, "mesh.yaml", "/")).toThrow(/mesh\.yaml(:\d+:\d+)? is not YAML/);
});

function levels(first: string): string[] {
    return Array.from(
        { length: 12 },
        (_, at) => `l${at}: &l${at} [${`*${at === 0 ? first : `l${at - 1}`},`.repeat(10)}]`,
    );
}

test("the mesh file that --help shows is accepted", () => {
    expect(parseMeshText(MESH_FILE.join("\n"), "mesh.yaml", "/").clusters).toHaveLength(2);
});
