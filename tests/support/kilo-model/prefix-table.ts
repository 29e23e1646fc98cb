import { type Address, type Cidr, mask, widthOf } from "./addresses";

/** What belongs to the longest prefix that holds an address: how both the kernel and WireGuard choose. */
export class PrefixTable<T> {
    /** By family and length, longest first: real tables have a handful of lengths. */
    readonly #v4: Level<T>[] = [];
    readonly #v6: Level<T>[] = [];

    /** The prefix counts without its host bits; an equal one is replaced. */
    set({ network, length }: Cidr, value: T): void {
        this.#level(network, length).values.set(network, value);
    }

    /** Exactly this prefix. */
    get({ network, length }: Cidr): T | undefined {
        return this.#levels(network)
            .find((level) => level.length === length)
            ?.values.get(network);
    }

    delete({ network, length }: Cidr): void {
        this.#level(network, length).values.delete(network);
    }

    lookup(address: Address): T | undefined {
        for (const { length, values } of this.#levels(address)) {
            const found = values.get(mask(address, length));
            if (found !== undefined) return found;
        }
        return undefined;
    }

    #levels(address: Address): Level<T>[] {
        return widthOf(address) === 32 ? this.#v4 : this.#v6;
    }

    #level(address: Address, length: number): Level<T> {
        const levels = this.#levels(address);
        const at = levels.findIndex((level) => level.length <= length);
        if (at >= 0 && levels[at]!.length === length) return levels[at]!;
        const level = { length, values: new Map<Address, T>() };
        levels.splice(at < 0 ? levels.length : at, 0, level);
        return level;
    }
}

interface Level<T> {
    readonly length: number;
    readonly values: Map<Address, T>;
}
