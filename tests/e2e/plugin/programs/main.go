// Meshes as `mesh.json` describes them, with values on request as Outputs that a preview does not know.
package main

import (
	"encoding/json"
	"os"
	"slices"

	"pulumi-kilo-clustermesh/sdk/go/kiloclustermesh"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type wanted struct {
	Meshes []struct {
		Name  string
		After []string
		Args  struct {
			Clusters       []cluster
			RequestTimeout float64
			Topology       *struct{ Hubs []string }
		}
	}
	Later struct{ Clusters []string }
}

type cluster struct {
	Name, Kubeconfig, WireguardCIDR, ServiceCIDR string
	PodCIDRs                                     []string
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		var all wanted
		content, err := os.ReadFile("mesh.json")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(content, &all); err != nil {
			return err
		}

		meshes := map[string]pulumi.Resource{}
		for _, mesh := range all.Meshes {
			args := &kiloclustermesh.ClusterMeshArgs{RequestTimeout: pulumi.Float64(mesh.Args.RequestTimeout)}
			for _, each := range mesh.Args.Clusters {
				kubeconfig := pulumi.String(each.Kubeconfig).ToStringOutput()
				if slices.Contains(all.Later.Clusters, each.Name) {
					made, err := pulumi.NewStash(ctx, mesh.Name+"-"+each.Name+"-made", &pulumi.StashArgs{Input: pulumi.String("")})
					if err != nil {
						return err
					}
					kubeconfig = pulumi.Sprintf("%s\n# %s", each.Kubeconfig, made.ID())
				}
				args.Clusters = append(args.Clusters, kiloclustermesh.ClusterArgs{
					Name:          each.Name,
					Kubeconfig:    kubeconfig,
					PodCIDRs:      pulumi.ToStringArray(each.PodCIDRs),
					WireguardCIDR: pulumi.String(each.WireguardCIDR),
					ServiceCIDR:   pulumi.String(each.ServiceCIDR),
				})
			}
			if mesh.Args.Topology != nil {
				args.Topology = &kiloclustermesh.TopologyArgs{}
				for _, hub := range mesh.Args.Topology.Hubs {
					args.Topology.Hubs = append(args.Topology.Hubs, pulumi.String(hub))
				}
			}
			var after []pulumi.Resource
			for _, name := range mesh.After {
				after = append(after, meshes[name])
			}
			made, err := kiloclustermesh.NewClusterMesh(ctx, mesh.Name, args, pulumi.DependsOn(after))
			if err != nil {
				return err
			}
			meshes[mesh.Name] = made
			ctx.Export(mesh.Name, pulumi.Map{
				"peers":        made.Peers,
				"skippedNodes": made.SkippedNodes,
				"issues":       made.Issues,
				"unreachable":  made.Unreachable,
				"meshFile":     made.MeshFile,
			})
		}
		return nil
	})
}
