import { randomUUID } from "node:crypto";
import type { KubeNode } from "../../../provider/kilo/types";
import type { Change } from "./watch-log";

export type DoubleNode = KubeNode & { readonly metadata: { readonly name: string; readonly resourceVersion?: string } };

/** The nodes of one cluster: a node that is new gets a uid, one that is there keeps its own, each write has a version. */
export class NodeStore extends Map<string, DoubleNode> {
    readonly #nextVersion: () => string;
    readonly #onChange: (type: Change<DoubleNode>["type"], node: DoubleNode) => void;

    constructor(nextVersion: () => string, onChange: (type: Change<DoubleNode>["type"], node: DoubleNode) => void) {
        super();
        this.#nextVersion = nextVersion;
        this.#onChange = onChange;
    }

    override set(name: string, node: DoubleNode): this {
        const former = this.get(name);
        const uid = node.metadata.uid ?? former?.metadata.uid ?? randomUUID();
        const stored = { ...node, metadata: { ...node.metadata, uid, resourceVersion: this.#nextVersion() } };
        super.set(name, stored);
        this.#onChange(former === undefined ? "ADDED" : "MODIFIED", stored);
        return this;
    }

    override delete(name: string): boolean {
        const node = this.get(name);
        if (node === undefined) return false;
        super.delete(name);
        const metadata = { ...node.metadata, resourceVersion: this.#nextVersion() };
        this.#onChange("DELETED", { ...node, metadata });
        return true;
    }

    override clear(): void {
        for (const name of [...this.keys()]) this.delete(name);
    }
}
