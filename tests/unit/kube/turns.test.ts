import { openTurns } from "../../../provider/kube/turns";

/** Work that ends when it is told to, and a clock on which everybody is slow when it is told so. */
function scene(atOnce: number) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const slow: (() => void)[] = [];
    const turns = openTurns(atOnce, 1, {
        sleep: (_, signal) =>
            new Promise((resolve) => {
                slow.push(resolve);
                signal?.addEventListener("abort", () => resolve());
            }),
    });
    const begin = (name: string, failure?: Error): Promise<string> =>
        turns(async () => {
            begun.push(name);
            await new Promise<void>((resolve) => ends.set(name, resolve));
            if (failure !== undefined) throw failure;
            return name;
        });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return {
        begun,
        begin,
        end: (name: string) => ends.get(name)!(),
        allAreSlow: () => slow.splice(0).map((pass) => pass()),
        settle,
    };
}

test("so many at once, the others in their order as these end, one that fails too", async () => {
    const { begun, begin, end, settle } = scene(2);
    const [a, b] = [begin("a"), begin("b", new Error("refused"))];
    const rest = ["c", "d", "e"].map((name) => begin(name));
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await expect(b).rejects.toThrow("refused");
    await settle();
    expect(begun).toEqual(["a", "b", "c"]);
    end("a");
    expect(await a).toBe("a");
    await settle();
    expect(begun).toEqual(["a", "b", "c", "d"]);
    for (const name of ["c", "d", "e"]) {
        end(name);
        await settle();
    }
    expect(await Promise.all(rest)).toEqual(["c", "d", "e"]);
});

test("one that is slow holds up nobody, and has one turn however it ends", async () => {
    const { begun, begin, end, allAreSlow, settle } = scene(1);
    const all = ["a", "b", "c"].map((name) => begin(name));
    allAreSlow();
    await settle();
    expect(begun).toEqual(["a", "b"]);
    end("a");
    await settle();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await settle();
    expect(begun).toEqual(["a", "b", "c"]);
    end("c");
    expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
});
