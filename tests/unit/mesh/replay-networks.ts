import { crossMeshIssues } from "../../../provider/mesh/args/cross-mesh";
import { validateMesh } from "../../../provider/mesh/args/validate";
import { peerLabels, peerName } from "../../../provider/mesh/names";
import { planMesh } from "../../../provider/mesh/plan-mesh";
import type { MeshSpec } from "../../../provider/mesh/types";
import { addressOf } from "../../../provider/net/address";
import { contains, hostOf, hostRoute, networkOf, overlaps, parseCidr } from "../../../provider/net/cidr";
import { errors, type Forms, KILO, kube, planInto, type Replays, replay, TARGET } from "./replay";

/** Of networks, and of what is named after clusters and nodes. */
export const NETWORKS: Replays = {
    cidr_parse: replay<{ cidr: string }, { error?: boolean; network?: string }>((input, expected) => {
        const parsed = parseCidr(input.cidr);
        const plan = planInto({ name: "a", podCIDRs: [input.cidr] }, []);
        if (expected.error === true) {
            expect(parsed).toHaveProperty("problem");
            expect(errors(plan).map(({ path }) => path)).toContain("clusters[0].podCIDRs[0]");
            return;
        }
        expect(networkOf(input.cidr)?.text).toBe(expected.network);
        // deliberate difference: declared networks with host bits, and default routes, are refused
        if (expected.network === input.cidr && !input.cidr.endsWith("/0")) {
            expect(parsed).toHaveProperty("text", expected.network);
            expect(errors(plan)).toEqual([]);
        } else {
            expect(errors(plan)).toHaveLength(1);
        }
    }),

    cidr_contains: replay<{ outer: string; inner: string }, { contains: boolean }>((input, expected) => {
        expect(contains(networkOf(input.outer)!, networkOf(input.inner)!)).toBe(expected.contains);
    }),

    cidr_overlaps: replay<{ a: string; b: string }, { overlaps: boolean }>((input, expected) => {
        expect(overlaps(networkOf(input.a)!, networkOf(input.b)!)).toBe(expected.overlaps);
        const plan = planMesh({
            mesh: "m",
            clusters: [
                { name: "a", podCIDRs: [input.a] },
                { name: "b", podCIDRs: [input.b] },
            ],
            nodes: {},
        });
        expect(errors(plan).some(({ code }) => code === "CidrOverlap")).toBe(expected.overlaps);
    }),

    host_in_cidr: replay<{ value: string }, { error?: boolean; host?: string; network?: string }>((input, expected) => {
        expect(hostOf(input.value)).toBe(expected.error === true ? undefined : expected.host);
        expect(networkOf(input.value)?.text).toBe(expected.error === true ? undefined : expected.network);
    }),

    host_route: replay<{ ip: string }, { error?: boolean; route?: string }>((input, expected) => {
        const address = addressOf(input.ip);
        expect(address && hostRoute(address).text).toBe(expected.error === true ? undefined : expected.route);
    }),

    peer_name: replay<{ mesh: string; cluster: string; node: string }, { name: string; differs_from?: string }>(
        (input, expected) => {
            const name = peerName(input.mesh, input.cluster, input.node);
            expect(name).toBe(expected.name);
            if (expected.differs_from !== undefined) expect(name).not.toBe(expected.differs_from);
            const labels = [input.mesh, input.cluster].every((text) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text));
            if (!labels || input.node === "") {
                // deliberate difference: names of meshes and clusters must be DNS-1123 labels
                const issues = validateMesh({
                    mesh: input.mesh,
                    clusters: [{ name: input.cluster, podCIDRs: ["10.0.0.0/8"] }, TARGET],
                });
                expect(issues.some(({ code }) => code === "NameInvalid") || input.node === "").toBe(true);
                return;
            }
            const node = {
                name: input.node,
                podCIDRs: ["10.1.1.0/24"],
                annotations: { [`${KILO}key`]: "x" },
                addresses: [],
            };
            const plan = planInto({ name: input.cluster, podCIDRs: ["10.1.0.0/16"] }, [kube(node)], input.mesh);
            expect(Object.keys(plan.peers[TARGET.name]!)).toEqual([expected.name]);
        },
    ),

    labels: replay<{ mesh: string; cluster: string }, { labels: Record<string, string> }>((input, expected) => {
        expect(peerLabels(input.mesh, input.cluster, undefined, undefined)).toMatchObject(expected.labels);
        // deliberate difference: ours say who manages them
        expect(peerLabels(input.mesh, input.cluster, "c", "id")).toEqual({
            ...expected.labels,
            "kilo-clustermesh.io/claim": "c",
            "kilo-clustermesh.io/mesh-id": "id",
            "app.kubernetes.io/managed-by": "pulumi",
        });
    }),

    cluster_networks: replay<{ clusters: Forms[] }, { ok: boolean; message?: string }>((input, expected) => {
        for (const form of ["typed", "flat"] as const) {
            const clusters = input.clusters.map((entry) => entry[form]);
            const plan = planMesh({ mesh: "m", clusters, nodes: {} });
            expect(errors(plan).length === 0).toBe(expected.ok);
            if (expected.ok) continue;
            const quoted = [...String(expected.message).matchAll(/\(([^)]+)\)/g)].map(([, cidr]) => cidr!);
            for (const cidr of quoted) expect(JSON.stringify(errors(plan))).toContain(cidr);
        }
    }),

    mesh_networks: replay<{ meshes: { name: string; clusters: Forms[] }[] }, { ok: boolean }>((input, expected) => {
        for (const form of ["typed", "flat"] as const) {
            const meshes: MeshSpec[] = input.meshes.map((mesh) => ({
                mesh: mesh.name,
                clusters: mesh.clusters.map((entry) => entry[form]),
            }));
            const within = meshes.flatMap((mesh) => [...validateMesh(mesh)]);
            expect([...within, ...crossMeshIssues(meshes)].length === 0).toBe(expected.ok);
        }
    }),
};
