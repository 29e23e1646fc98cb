// Mesh Kubernetes clusters that run Kilo, from a Pulumi program: preview, up and destroy for WireGuard peers
package kiloclustermesh
