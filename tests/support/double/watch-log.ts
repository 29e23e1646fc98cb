import { tooOld } from "./status";

export interface Watched {
    readonly metadata: {
        readonly name: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly resourceVersion?: string;
    };
}

export interface Change<T> {
    readonly type: "ADDED" | "MODIFIED" | "DELETED";
    /** As it now is; a deleted one with the version of its deletion. */
    readonly object: T;
    /** As it was before. */
    readonly former?: T;
}

export interface Subscriber<T> {
    change(change: Change<T>): void;
    bookmark(): void;
    end(how: "in order" | "reset"): void;
}

/** As the cache of a real server: the last changes are at hand, older ones are gone. */
const KEPT = 500;

/** The latest changes of one kind of object, and whoever watches them. */
export class WatchLog<T extends Watched> {
    readonly #present = new Map<string, T>();
    readonly #subscribers = new Set<Subscriber<T>>();
    #changes: Change<T>[] = [];
    /** Every change after this version is at hand. */
    #complete: number;

    constructor(version: number) {
        this.#complete = version;
    }

    record(type: Change<T>["type"], object: T): void {
        const { name } = object.metadata;
        const former = this.#present.get(name);
        if (type === "DELETED") this.#present.delete(name);
        else this.#present.set(name, object);
        const change: Change<T> = { type, object, ...(former === undefined ? {} : { former }) };
        this.#changes.push(change);
        if (this.#changes.length > 2 * KEPT) {
            this.#complete = versionOf(this.#changes[KEPT - 1]!);
            this.#changes = this.#changes.slice(KEPT);
        }
        for (const subscriber of [...this.#subscribers]) subscriber.change(change);
    }

    /** The changes after this version. */
    since(version: number): readonly Change<T>[] {
        if (version < this.#complete) throw tooOld(version, this.#complete);
        return this.#changes.filter((change) => versionOf(change) > version);
    }

    subscribe(subscriber: Subscriber<T>): () => void {
        this.#subscribers.add(subscriber);
        return () => this.#subscribers.delete(subscriber);
    }

    /** How many watch it. */
    get watchers(): number {
        return this.#subscribers.size;
    }

    /** Forgets every change so far; watches under way go on. */
    compact(version: number): void {
        this.#changes = [];
        this.#complete = version;
    }

    bookmark(): void {
        for (const subscriber of [...this.#subscribers]) subscriber.bookmark();
    }

    end(how: "in order" | "reset"): void {
        for (const subscriber of [...this.#subscribers]) subscriber.end(how);
    }
}

const versionOf = ({ object }: Change<Watched>): number => Number(object.metadata.resourceVersion);
