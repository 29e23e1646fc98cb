import { type NameResolver, resolveNames } from "../../../provider/observe/resolve-names";

type Answer = readonly string[] | string | "never";

/** Answers by name; a text is an error code. */
function fakeResolver(v4: Record<string, Answer>, v6: Record<string, Answer> = {}) {
    let running = 0;
    let most = 0;
    const asked: string[] = [];
    const answer = async (answers: Record<string, Answer>, name: string): Promise<string[]> => {
        most = Math.max(most, ++running);
        asked.push(name);
        await new Promise((resolve) => setTimeout(resolve, 1));
        const found = answers[name] ?? "ENOTFOUND";
        if (found === "never") return new Promise(() => undefined);
        running--;
        if (typeof found === "string") throw Object.assign(new Error(found), { code: found });
        return [...found];
    };
    const resolver = {
        resolve4: (name: string) => answer(v4, name),
        resolve6: (name: string) => answer(v6, name),
        cancel: jest.fn(),
    };
    return { resolver: resolver as unknown as NameResolver & typeof resolver, asked, most: () => most };
}

test("a name with an address of either family exists", async () => {
    const { resolver } = fakeResolver(
        { "four.example": ["192.0.2.1"], "six.example": "ENODATA" },
        { "six.example": ["2001:db8::1"], "four.example": "ENODATA" },
    );
    expect(await resolveNames(["six.example", "four.example"], { timeoutSeconds: 1, resolver })).toEqual({
        unresolvable: [],
        addresses: { "four.example": "192.0.2.1", "six.example": "2001:db8::1" },
    });
});

test("of several addresses the same one is told whatever order they come in, IPv4 first", async () => {
    const v6 = { "a.example": ["2001:db8::1"] };
    for (const order of [
        ["192.0.2.9", "192.0.2.1"],
        ["192.0.2.1", "192.0.2.9"],
    ]) {
        const { resolver } = fakeResolver({ "a.example": order }, v6);
        const { addresses } = await resolveNames(["a.example"], { timeoutSeconds: 1, resolver });
        expect(addresses).toEqual({ "a.example": "192.0.2.1" });
    }
});

test("an address of one family counts though the other family fails", async () => {
    const { resolver } = fakeResolver({ "a.example": "ESERVFAIL" }, { "a.example": ["2001:db8::1"] });
    const { addresses } = await resolveNames(["a.example"], { timeoutSeconds: 1, resolver });
    expect(addresses).toEqual({ "a.example": "2001:db8::1" });
});

test("only a definite no counts: not there at all, or there without any address", async () => {
    const { resolver } = fakeResolver({ "b.example": "ENODATA" }, { "b.example": "ENODATA" });
    expect(await resolveNames(["b.example", "a.example"], { timeoutSeconds: 1, resolver })).toEqual({
        unresolvable: ["a.example", "b.example"],
        addresses: {},
    });
});

test.each(["ETIMEOUT", "ESERVFAIL", "EREFUSED", "ECONNREFUSED", "ECANCELLED"])("%s proves nothing", async (code) => {
    const both = fakeResolver({ "a.example": code }, { "a.example": code });
    const one = fakeResolver({ "a.example": code });
    for (const { resolver } of [both, one]) {
        expect(await resolveNames(["a.example"], { timeoutSeconds: 1, resolver })).toEqual({
            unresolvable: [],
            addresses: {},
        });
    }
});

test("a resolver that hangs is given up after the timeout, and what was known by then counts", async () => {
    const { resolver } = fakeResolver({ "slow.example": "never", "here.example": ["192.0.2.1"] });
    const names = ["slow.example", "gone.example", "here.example"];
    expect(await resolveNames(names, { timeoutSeconds: 0.2, resolver })).toEqual({
        unresolvable: ["gone.example"],
        addresses: { "here.example": "192.0.2.1" },
    });
    expect(resolver.cancel).toHaveBeenCalledTimes(1);
});

test("names are asked once each, a bounded number at a time, and never more than a cap", async () => {
    const { resolver, asked, most } = fakeResolver({});
    const names = Array.from({ length: 3000 }, (_, at) => `n${at}.example`);
    const { unresolvable } = await resolveNames([...names, ...names], { timeoutSeconds: 30, resolver });
    expect(unresolvable).toHaveLength(2000);
    expect(asked).toHaveLength(4000);
    expect(most()).toBeLessThanOrEqual(32);
});

test("no names, no questions", async () => {
    const { resolver, asked } = fakeResolver({});
    expect(await resolveNames([], { timeoutSeconds: 1, resolver })).toEqual({
        unresolvable: [],
        addresses: {},
    });
    expect(asked).toEqual([]);
});
