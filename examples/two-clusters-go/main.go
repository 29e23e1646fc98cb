package main

import (
	"pulumi-kilo-clustermesh/sdk/go/kiloclustermesh"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		conf := config.New(ctx, "")

		mesh, err := kiloclustermesh.NewClusterMesh(ctx, "pair", &kiloclustermesh.ClusterMeshArgs{
			Clusters: []kiloclustermesh.ClusterInput{
				kiloclustermesh.ClusterArgs{
					Name:        "amsterdam",
					Kubeconfig:  conf.RequireSecret("amsterdamKubeconfig"),
					PodCIDRs:    pulumi.StringArray{pulumi.String("10.16.0.0/16")},
					ServiceCIDR: pulumi.String("172.16.0.0/20"),
				},
				kiloclustermesh.ClusterArgs{
					Name:        "berlin",
					Kubeconfig:  conf.RequireSecret("berlinKubeconfig"),
					PodCIDRs:    pulumi.StringArray{pulumi.String("10.17.0.0/16")},
					ServiceCIDR: pulumi.String("172.16.16.0/20"),
				},
			},
		})
		if err != nil {
			return err
		}

		ctx.Export("peers", mesh.Peers)
		ctx.Export("skippedNodes", mesh.SkippedNodes)
		ctx.Export("graph", mesh.Graph)
		return nil
	})
}
