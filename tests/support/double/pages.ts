import { randomUUID } from "node:crypto";
import { badRequest, expired } from "./status";

interface Named {
    readonly metadata: { readonly name: string };
}

interface Rest<T> {
    readonly items: readonly T[];
    readonly resourceVersion: string;
}

const TOKEN = /^[0-9a-f-]{36}:\d+$/;

/** Lists in pages, all of one list from the moment of its first page, as etcd's snapshots give them. */
export class Pages<T extends Named> {
    readonly #lists = new Map<string, Rest<T>>();

    /** `items` are only looked at for a first page. */
    page(items: () => T[], resourceVersion: () => string, limit: number, token: string) {
        const [id, start, list] = token === "" ? this.#open(items(), resourceVersion()) : this.#find(token);
        const end = limit > 0 ? Math.min(start + limit, list.items.length) : list.items.length;
        const rest = list.items.length - end;
        if (rest === 0) this.#lists.delete(id);
        return {
            items: list.items.slice(start, end),
            metadata: {
                resourceVersion: list.resourceVersion,
                ...(rest === 0 ? {} : { continue: Buffer.from(`${id}:${end}`).toString("base64url") }),
                ...(rest === 0 ? {} : { remainingItemCount: rest }),
            },
        };
    }

    /** Forgets every list under way: their tokens are now too old. */
    compact(): void {
        this.#lists.clear();
    }

    #open(items: T[], resourceVersion: string): [string, number, Rest<T>] {
        const id = randomUUID();
        const list = {
            resourceVersion,
            items: items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
        };
        this.#lists.set(id, list);
        return [id, 0, list];
    }

    #find(token: string): [string, number, Rest<T>] {
        const text = Buffer.from(token, "base64url").toString("latin1");
        if (!TOKEN.test(text)) throw badRequest("invalid continue token: continue key is not valid");
        const [id = "", start] = text.split(":");
        const list = this.#lists.get(id);
        if (list === undefined) throw expired();
        return [id, Number(start), list];
    }
}
