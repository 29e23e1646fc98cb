import { setFlagsFromString } from "node:v8";

/**
 * For a process that rests most of its life. V8 lets the heap grow to several times what is in use, and the part for new
 * objects to 32 MB and more that it does not give back: worth it for who computes, not for who waits. Both are read whenever the
 * heap would grow, so they count from now on (Node 20, 22 and 24).
 */
export function keepHeapSmall(): void {
    setFlagsFromString("--optimize-for-size");
    setFlagsFromString("--semi-space-growth-factor=1");
}
