import { BlockList, isIPv4 } from "node:net";

/** Whether all addresses of a network lie in another one. */
export function isInside(network: string, outer: string): boolean {
    const [address, prefix] = split(network);
    const [base, width] = split(outer);
    if (isIPv4(address) !== isIPv4(base) || prefix < width) return false;
    const allowed = new BlockList();
    allowed.addSubnet(base, width, isIPv4(base) ? "ipv4" : "ipv6");
    return allowed.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

function split(network: string): readonly [string, number] {
    const [address = "", prefix = ""] = network.split("/");
    return [address, Number(prefix)];
}
