import { readPeer } from "../../provider/kilo/peer";
import { encodeLive } from "../../provider/state/peer-text";

/** A peer as an API server has it, as the line that a plan has of it. */
export const lineOf = (object: unknown): string => encodeLive(readPeer(object)!);
