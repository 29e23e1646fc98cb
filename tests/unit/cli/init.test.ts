import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { clusterNames } from "../../../cli/init/cluster-names";
import { draftClusters } from "../../../cli/init/draft";
import { FILE_NAMES } from "../../../cli/init/files";
import { portablePath } from "../../../cli/init/portable-path";
import type { Failed, Survey, Surveyed } from "../../../cli/init/survey";
import { parseMeshText } from "../../../cli/mesh-file";
import { type NodeSpec, nodeObject, nodeSpecs } from "../../../tools/clusters/node-spec";
import { expectGolden } from "./support/golden";
import { type CliOptions, runCli } from "./support/run-cli";

const CONTEXTS = ["admin@hub", "arn:aws:eks:eu-west-1:1:cluster/berlin", "tokyo"];
const SECRET = "a-token-that-nobody-may-see";
const KUBECONFIG = stringify({
    contexts: CONTEXTS.map((name) => ({ name, context: { cluster: name, user: "me" } })),
    users: [{ name: "me", user: { token: SECRET } }],
});

interface Given {
    readonly services?: Surveyed["services"];
    readonly node?: Partial<NodeSpec>;
    readonly nodes?: readonly Partial<NodeSpec>[];
    readonly identity?: string;
}

/** Three nodes of the cluster of that index. */
function surveyed(name: string, index: number, { services, node, nodes, identity }: Given = {}): Surveyed {
    const specs = nodes ?? nodeSpecs({ name }, 3, node);
    return {
        ok: true,
        nodes: specs.map((spec, at) => nodeObject({ name, index }, { name: `${name}-n${at + 1}`, ...spec })),
        peers: [],
        at: undefined,
        identity: identity ?? `uid-${name}`,
        services: services ?? { known: true, cidrs: [`172.16.${index * 16}.0/20`] },
    };
}

const NAMES = ["hub", "berlin", "tokyo"];
const three = (given: Readonly<Record<string, Given>> = {}): Readonly<Record<string, Surveyed | Failed>> =>
    Object.fromEntries(NAMES.map((name, index) => [name, surveyed(name, index, given[name])]));

interface Result {
    readonly code: number;
    readonly out: string;
    readonly err: string;
    readonly files: Readonly<Record<string, string>>;
}

async function initialized(flags: readonly string[], found = three(), options: CliOptions = {}): Promise<Result> {
    const survey: Survey = async () => found;
    const files: Record<string, string> = {};
    const inspect = (directory: string): void => {
        for (const name of readdirSync(directory)) files[name] = readFileSync(path.join(directory, name), "utf8");
    };
    const argv = ["init", "--kubeconfig", "all.yaml", "--name", "global", ...flags];
    const given = { ...options, columns: 100, files: { "all.yaml": KUBECONFIG, ...options.files }, survey, inspect };
    return { ...(await runCli(argv, undefined, given)), files };
}

const ALL = CONTEXTS.flatMap((name) => ["--context", name]);

describe("what is written", () => {
    test("is a complete project with the networks that were found, and it says what to run next", async () => {
        const { code, err, out, files } = await initialized(ALL);
        expect({ code, err }).toEqual({ code: 0, err: "" });
        expectGolden("init.txt", out);
        expectGolden("init-index.txt", files["index.ts"]!);
        expectGolden("init-mesh.txt", files["mesh.yaml"]!);
        expect(Object.keys(files).sort()).toEqual([...FILE_NAMES, "all.yaml"].sort());
    });

    test("the mesh file is one that the command accepts, and names the clusters of the program", async () => {
        const { files } = await initialized(ALL);
        const { mesh, clusters } = parseMeshText(files["mesh.yaml"]!, "mesh.yaml", "/srv");
        expect({ mesh, names: clusters.map(({ name }) => name) }).toEqual({ mesh: "global", names: NAMES });
        for (const { podCIDRs } of clusters) expect(files["index.ts"]).toContain(JSON.stringify(podCIDRs));
    });

    test("holds no credentials: the kubeconfig is named by its path", async () => {
        const { files, out } = await initialized(ALL);
        for (const name of FILE_NAMES) expect(files[name] + out).not.toContain(SECRET);
        expect(files["index.ts"]).toContain('kubeconfig: "all.yaml"');
    });

    test("a person at the terminal picks contexts by number or name", async () => {
        const { code, out, files } = await initialized([], three(), { answers: ["1, tokyo"] });
        expect(code).toBe(0);
        expect(out).toContain("  2  arn:aws:eks:eu-west-1:1:cluster/berlin");
        expect(parseMeshText(files["mesh.yaml"]!, "mesh.yaml", "/").clusters).toHaveLength(2);
    });

    test("a text from a cluster cannot end its comment and become code", async () => {
        const services = { known: false, why: "no\nprocess.exit(1)" } as const;
        const { files } = await initialized(ALL, three({ hub: { services } }));
        expect(files["index.ts"]).not.toMatch(/^process/m);
    });
});

describe("what is not certain is a comment that says why", () => {
    const drafts = (found: Readonly<Record<string, Surveyed | Failed>>) =>
        draftClusters(
            NAMES.map((name) => ({ name, kubeconfig: "k", context: name })),
            found as Record<string, Surveyed>,
        );

    test("a service range that two clusters have is declared for neither", () => {
        const services = { known: true, cidrs: ["10.96.0.0/12"] } as const;
        const [hub, berlin, tokyo] = drafts(three({ hub: { services }, berlin: { services } }));
        expect([hub!.serviceCIDR, berlin!.serviceCIDR, tokyo!.serviceCIDR]).toEqual([
            undefined,
            undefined,
            "172.16.32.0/20",
        ]);
        expect(hub!.notes.join()).toContain("10.96.0.0/12, but berlin uses addresses of it too");
    });

    test("a service range that nobody tells is left out", () => {
        const services = { known: false, why: "the account may not list servicecidrs.networking.k8s.io" } as const;
        const [hub] = drafts(three({ hub: { services } }));
        expect(hub).not.toHaveProperty("serviceCIDR");
        expect(hub!.notes.join()).toContain("serviceCIDR: not known (the account may not list");
    });

    test("Kilo's subnet is declared where it differs, and left out where it is the same everywhere", () => {
        expect(drafts(three()).map(({ wireguardCIDR }) => wireguardCIDR)).toEqual(
            [0, 1, 2].map((index) => `100.${64 + index}.0.0/16`),
        );
        const same = three(Object.fromEntries(NAMES.map((name) => [name, { node: { wireguardIP: "10.4.0.1/16" } }])));
        for (const cluster of drafts(same)) expect(cluster).not.toHaveProperty("wireguardCIDR");
    });

    test("nodes that Kilo has not set up are named", () => {
        const [hub] = drafts(three({ hub: { node: { key: null } } }));
        expect(hub!.notes.join()).toContain("Kilo has not set up hub-n1, hub-n2, hub-n3 yet");
    });

    test("pod ranges are the smallest blocks that hold all nodes, and never one that another cluster has", () => {
        expect(drafts(three())[0]!.podCIDRs).toEqual(["10.16.0.0/22"]);
        const far = drafts(
            three({ hub: { nodes: [{ podCIDRs: ["10.16.1.0/24"] }, { podCIDRs: ["10.200.0.0/24", "fd00:1::/64"] }] } }),
        );
        expect(far[0]!.podCIDRs).toEqual(["10.16.1.0/24", "10.200.0.0/24", "fd00:1::/64"]);
        const woven = drafts(
            three({
                hub: { nodes: [{ podCIDRs: ["10.9.1.0/24"] }, { podCIDRs: ["10.9.3.0/24"] }] },
                berlin: { nodes: [{ podCIDRs: ["10.9.2.0/24"] }] },
            }),
        );
        expect(woven.map(({ podCIDRs }) => podCIDRs).slice(0, 2)).toEqual([
            ["10.9.1.0/24", "10.9.3.0/24"],
            ["10.9.2.0/24"],
        ]);
    });
});

describe("nothing is written", () => {
    const nothing = ({ files }: Result): void => expect(Object.keys(files)).toEqual(["all.yaml"]);

    test("over a file that is there: it is named, and no cluster is contacted", async () => {
        const { code, err, files } = await initialized(ALL, three(), { files: { "index.ts": "mine" } });
        expect(code).toBe(1);
        expect(err).toContain("index.ts is there already; nothing was written");
        expect(files["index.ts"]).toBe("mine");
        expect(files).not.toHaveProperty(["Pulumi.yaml"]);
    });

    test("when a cluster cannot be read: it says why", async () => {
        const silent: Failed = {
            ok: false,
            state: "silent",
            kind: "unreachable",
            message: "tokyo is unreachable",
            fix: "Check it",
        };
        const result = await initialized(ALL, { ...three(), tokyo: silent });
        expect(result.code).toBe(2);
        expect(result.out).toContain("tokyo  tokyo is unreachable. Check it");
        nothing(result);
    });

    test.each([
        ["one cluster has two contexts", { tokyo: { identity: "uid-hub" } }, "tokyo is the same cluster as hub"],
        [
            "two clusters have one pod range",
            { tokyo: { nodes: [{ podCIDRs: ["10.16.1.0/24"] }] } },
            '10.16.1.0/24 of "tokyo" overlaps',
        ],
        ["a cluster has no pod ranges", { tokyo: { nodes: [{ podCIDRs: [] }] } }, "tokyo has no node with a pod CIDR"],
    ])("when %s", async (_, given, message) => {
        const result = await initialized(ALL, three(given));
        expect(result.code).toBe(2);
        expect(result.out).toContain(message);
        nothing(result);
    });

    test.each([
        [[], "init needs the contexts of at least two clusters", "admin@hub"],
        [["--context", "admin@hub"], "a mesh needs at least two clusters", "two or more"],
        [["--context", "admin@hub", "--context", "toky"], 'there is no context "toky"', "Did you mean tokyo?"],
        [["--kubeconfig", "none.yaml"], "none.yaml cannot be read (ENOENT)", "--kubeconfig"],
    ])("with %j", async (flags, message, hint) => {
        const result = await initialized(flags);
        expect(result.code).toBe(1);
        expect(result.err).toContain(message);
        expect(result.err).toContain(hint);
        nothing(result);
    });
});

test("clusters are called by what tells contexts apart, in letters that a name may have", () => {
    expect(clusterNames(["admin@hub", "gke_proj_zone_Hub", "arn:aws:eks:x:cluster/hub", "@", "kind-hub"])).toEqual([
        "hub",
        "gke-proj-zone-hub",
        "hub-2",
        "cluster",
        "kind-hub",
    ]);
});

test("a kubeconfig is named so that the project can be moved where that is possible", () => {
    expect(portablePath("/srv/mesh/k/all.yaml", "/srv/mesh", "/home/me")).toBe("k/all.yaml");
    expect(portablePath("/home/me/.kube/config", "/home/me/mesh", "/home/me")).toBe("~/.kube/config");
    expect(portablePath("/etc/kube/config", "/srv/mesh", "/home/me")).toBe("/etc/kube/config");
});
