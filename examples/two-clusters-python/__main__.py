import pulumi
from pulumi_kilo_clustermesh import ClusterMesh

config = pulumi.Config()

mesh = ClusterMesh(
    "pair",
    clusters=[
        {
            "name": "amsterdam",
            "kubeconfig": config.require_secret("amsterdamKubeconfig"),
            "pod_cidrs": ["10.16.0.0/16"],
            "service_cidr": "172.16.0.0/20",
        },
        {
            "name": "berlin",
            "kubeconfig": config.require_secret("berlinKubeconfig"),
            "pod_cidrs": ["10.17.0.0/16"],
            "service_cidr": "172.16.16.0/20",
        },
    ],
)

pulumi.export("peers", mesh.peers)
pulumi.export("skippedNodes", mesh.skipped_nodes)
pulumi.export("graph", mesh.graph)
