import type { Download, Tool } from "./tool";

const PULUMI = "3.259.0";
/** The newest language host that can be had as a Go module; the official archive brings a current one. */
const LANGUAGE_HOST = "3.68.0";
const KUBERNETES = "1.35.4";
const ETCD = "3.6.5";

const YAML_HOST = "1.38.0";
/** The last release that has the Go host in a module that can be fetched. */
const GO_HOST = "3.66.0";

const KUBERNETES_FLAGS = [
    "-s -w",
    `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES}`,
    "-X k8s.io/component-base/version.gitMajor=1",
    "-X k8s.io/component-base/version.gitMinor=35",
].join(" ");

/** Every program that the tests, the benchmarks and the quick start run, with the version that is pinned for them. */
export const catalogue = {
    pulumi: {
        name: "pulumi",
        variable: "KILO_CLUSTERMESH_PULUMI",
        probe: { args: ["version"], pattern: /^v?(\d+\.\d+\.\d+)/m, atLeast: "3.200.0" },
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi"),
        build: {
            version: PULUMI,
            module: "pulumi",
            package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
            ldflags: `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${PULUMI}`,
            usually: 275,
        },
    },
    pulumiLanguageNodejs: {
        name: "pulumi-language-nodejs",
        variable: "KILO_CLUSTERMESH_PULUMI_LANGUAGE_NODEJS",
        beside: "pulumi",
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi-language-nodejs"),
        build: {
            version: LANGUAGE_HOST,
            module: "pulumi-language-nodejs",
            package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
            ldflags: "-s -w",
            usually: 25,
        },
    },
    kubeApiserver: {
        name: "kube-apiserver",
        variable: "KILO_CLUSTERMESH_KUBE_APISERVER",
        kubebuilder: true,
        probe: { args: ["--version"], pattern: /v(\d+\.\d+\.\d+)/, atLeast: "1.30.0" },
        download: (platform, arch) => kubernetesBinary(platform, arch, "kube-apiserver"),
        build: {
            version: KUBERNETES,
            module: "kubernetes",
            package: "k8s.io/kubernetes/cmd/kube-apiserver",
            ldflags: KUBERNETES_FLAGS,
            usually: 270,
        },
    },
    kubectl: {
        name: "kubectl",
        variable: "KILO_CLUSTERMESH_KUBECTL",
        kubebuilder: true,
        probe: { args: ["version", "--client"], pattern: /v(\d+\.\d+\.\d+)/, atLeast: "1.28.0" },
        download: (platform, arch) => kubernetesBinary(platform, arch, "kubectl"),
        build: {
            version: KUBERNETES,
            module: "kubernetes",
            package: "k8s.io/kubernetes/cmd/kubectl",
            ldflags: KUBERNETES_FLAGS,
            usually: 55,
        },
    },
    etcd: {
        name: "etcd",
        variable: "KILO_CLUSTERMESH_ETCD",
        kubebuilder: true,
        probe: { args: ["--version"], pattern: /etcd Version: (\d+\.\d+\.\d+)/, atLeast: "3.5.0" },
        download: etcdArchive,
        build: {
            version: ETCD,
            module: "etcd",
            package: "go.etcd.io/etcd/server/v3",
            ldflags: "-s -w",
            usually: 60,
        },
    },
} as const satisfies Record<string, Tool>;

/** What programs in other languages than JavaScript need beside the CLI. Only those who run such programs get it. */
export const languageHosts = {
    pulumiLanguageYaml: {
        name: "pulumi-language-yaml",
        variable: "KILO_CLUSTERMESH_PULUMI_LANGUAGE_YAML",
        beside: "pulumi",
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi-language-yaml"),
        build: {
            version: YAML_HOST,
            module: "pulumi-language-yaml",
            package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
            ldflags: "-s -w",
            usually: 160,
        },
    },
    pulumiLanguagePython: {
        name: "pulumi-language-python",
        variable: "KILO_CLUSTERMESH_PULUMI_LANGUAGE_PYTHON",
        beside: "pulumi",
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi-language-python"),
        build: {
            version: LANGUAGE_HOST,
            module: "pulumi-language-python",
            package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
            ldflags: "-s -w",
            usually: 50,
        },
    },
    // The host finds it on PATH and gives it to Python: it must be of the same version as the host.
    pulumiLanguagePythonExec: {
        name: "pulumi-language-python-exec",
        variable: "KILO_CLUSTERMESH_PULUMI_LANGUAGE_PYTHON_EXEC",
        beside: "pulumi-language-python",
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi-language-python-exec"),
        build: {
            version: LANGUAGE_HOST,
            module: "pulumi-language-python",
            package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
            script: "../pulumi-language-python-exec",
            ldflags: "",
            usually: 1,
        },
    },
    pulumiLanguageGo: {
        name: "pulumi-language-go",
        variable: "KILO_CLUSTERMESH_PULUMI_LANGUAGE_GO",
        beside: "pulumi",
        download: (platform, arch) => pulumiArchive(platform, arch, "pulumi-language-go"),
        build: {
            version: GO_HOST,
            module: "pulumi-language-go",
            package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
            ldflags: "-s -w",
            usually: 20,
        },
    },
} as const satisfies Record<string, Tool>;

const GO_ARCHITECTURE: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

function pulumiArchive(platform: NodeJS.Platform, arch: string, member: string): Download | undefined {
    if ((platform !== "linux" && platform !== "darwin") || GO_ARCHITECTURE[arch] === undefined) return undefined;
    const release = `https://github.com/pulumi/pulumi/releases/download/v${PULUMI}`;
    return {
        version: PULUMI,
        url: `${release}/pulumi-v${PULUMI}-${platform}-${arch}.tar.gz`,
        checksums: `${release}/pulumi-${PULUMI}-checksums.txt`,
        member: `pulumi/${member}`,
    };
}

/** The project publishes kube-apiserver for Linux only; elsewhere it is built. */
function kubernetesBinary(platform: NodeJS.Platform, arch: string, name: string): Download | undefined {
    const goArch = GO_ARCHITECTURE[arch];
    if (platform !== "linux" || goArch === undefined) return undefined;
    const url = `https://dl.k8s.io/release/v${KUBERNETES}/bin/linux/${goArch}/${name}`;
    return { version: KUBERNETES, url, checksums: `${url}.sha256` };
}

function etcdArchive(platform: NodeJS.Platform, arch: string): Download | undefined {
    const goArch = GO_ARCHITECTURE[arch];
    if (platform !== "linux" || goArch === undefined) return undefined;
    const release = `https://github.com/etcd-io/etcd/releases/download/v${ETCD}`;
    const name = `etcd-v${ETCD}-linux-${goArch}`;
    return {
        version: ETCD,
        url: `${release}/${name}.tar.gz`,
        checksums: `${release}/SHA256SUMS`,
        member: `${name}/etcd`,
    };
}
