import { hanging } from "./render/visible";
import type { Screen } from "./screen";

const SEEN =
    "Seen: a node of the target had a handshake with the peer since Kilo last reconfigured WireGuard there. It does not say that the tunnel works now, and a tunnel without traffic has none: ping between pods, wait a minute, look again.";

/** Said wherever a tunnel is called seen (docs/kilo.md: what a handshake proves). */
export const meaningOfSeen = ({ paint, width }: Screen): string[] => [
    "",
    ...hanging("", SEEN, width).map((line) => paint("dim", line)),
];
