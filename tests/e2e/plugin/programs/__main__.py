"""Meshes as `mesh.json` describes them, with values on request as Outputs that a preview does not know."""

import json
import re

import pulumi
from pulumi_kilo_clustermesh import ClusterArgs, ClusterMesh

OUTPUTS = ["peers", "skippedNodes", "issues", "unreachable", "meshFile"]


def python_name(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def python_names(given: dict) -> dict:
    return {python_name(name): value for name, value in given.items()}


with open("mesh.json", encoding="utf8") as file:
    wanted = json.load(file)
later = wanted.get("later", {}).get("clusters", [])

meshes: dict[str, ClusterMesh] = {}
for mesh in wanted["meshes"]:
    clusters = []
    for cluster in mesh["args"].pop("clusters"):
        if cluster["name"] in later:
            made = pulumi.Stash(f"{mesh['name']}-{cluster['name']}-made", input="")
            cluster["kubeconfig"] = pulumi.Output.concat(cluster["kubeconfig"], "\n# ", made.id)
        clusters.append(ClusterArgs(**python_names(cluster)))
    options = pulumi.ResourceOptions(depends_on=[meshes[name] for name in mesh.get("after", [])])
    made = ClusterMesh(mesh["name"], clusters=clusters, **python_names(mesh["args"]), opts=options)
    meshes[mesh["name"]] = made
    pulumi.export(mesh["name"], {output: getattr(made, python_name(output)) for output in OUTPUTS})
