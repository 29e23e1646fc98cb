import { addressesOf } from "../../provider/mesh/segments/build-segments";
import type { Place } from "../../provider/mesh/trace/types";
import type { MeshSpec } from "../../provider/mesh/types";
import { addressOf, addressText } from "../../provider/net/address";
import { contains, networkOf } from "../../provider/net/cidr";
import { noSuch, UsageError } from "../failure";
import type { SeenCluster } from "../sight";

/** What was asked for: a cluster of the mesh, and a node or an address in it. */
export interface Wanted {
    readonly cluster: string;
    readonly what: string;
}

export function wantedPlace(text: string, { clusters }: MeshSpec): Wanted {
    const slash = text.indexOf("/");
    const cluster = text.slice(0, Math.max(slash, 0));
    const what = text.slice(slash + 1);
    if (cluster === "" || what === "") {
        throw new UsageError(
            `${JSON.stringify(text)} is not a place`,
            "Write <cluster>/<pod IP or node>, for example hub/10.16.1.7 or hub/hub-n1",
        );
    }
    const names = clusters.map(({ name }) => name);
    if (names.includes(cluster)) return { cluster, what };
    throw noSuch(`there is no cluster ${JSON.stringify(cluster)} in the mesh file`, cluster, names);
}

/** A node stands for some pod on it: the third address of its first pod network. */
export function placeOf({ cluster, what }: Wanted, { nodes }: SeenCluster): Place {
    const address = addressOf(what);
    if (address !== undefined) {
        const owner = nodes.find((node) => {
            const pods = node.podCIDRs.flatMap((text) => networkOf(text) ?? []);
            return pods.some((network) => contains(network, address)) || addressesOf(node).includes(address.text);
        });
        return { cluster, address, ...(owner === undefined ? {} : { node: owner.name }) };
    }
    const node = nodes.find(({ name }) => name === what);
    if (node === undefined) {
        const names = nodes.map(({ name }) => name);
        throw noSuch(`${cluster} has no node ${JSON.stringify(what)}, and it is no IP address`, what, names);
    }
    const pods = networkOf(node.podCIDRs[0] ?? "");
    if (pods === undefined) throw new UsageError(`${cluster}/${what} has no pod CIDR`, "Name the IP address of a pod");
    const third = typeof pods.first === "number" ? pods.first + 2 : pods.first + 2n;
    return { cluster, node: node.name, address: addressOf(addressText(third))! };
}
