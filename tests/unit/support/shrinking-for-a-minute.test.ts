import { shrinkingForAMinute } from "../../support/shrinking-for-a-minute";

let minutes = 0;
beforeEach(() => {
    minutes = 0;
    jest.spyOn(performance, "now").mockImplementation(() => minutes * 60_000);
});
afterEach(() => jest.restoreAllMocks());

const odd = async (drawn: number): Promise<void> => {
    minutes += 10;
    if (drawn % 2 === 1) throw new Error(`${drawn} is odd`);
};

test("what is drawn is tried however long the tries before it took", async () => {
    const tried = shrinkingForAMinute(odd);
    for (const drawn of [2, 4, 6]) await tried(drawn);
    await expect(tried(7)).rejects.toThrow("7 is odd");
});

test("a minute after the first failure nothing more is tried", async () => {
    const tried = shrinkingForAMinute(odd);
    await expect(tried(7)).rejects.toThrow("7 is odd");
    minutes += 0.5;
    await expect(tried(5)).rejects.toThrow("5 is odd");
    await expect(tried(3)).resolves.toBeUndefined();
});
