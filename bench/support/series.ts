/** Collects measurements of one case, by name, one value per repetition. */
export class Series {
    private readonly values: Record<string, number[]> = {};

    add(measured: Readonly<Record<string, number>>): void {
        for (const [name, value] of Object.entries(measured)) {
            this.values[name] ??= [];
            this.values[name].push(value);
        }
    }

    all(): Readonly<Record<string, readonly number[]>> {
        return this.values;
    }
}
