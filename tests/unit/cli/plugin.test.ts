import { installPlugin } from "../../../cli/plugin";

test("another word than install is refused with the right one", () => {
    expect(() => installPlugin("instal", {})).toThrow('plugin cannot "instal"');
});

test("sources that were not built have no plugin, and it is said what to run", () => {
    expect(() => installPlugin("install", {})).toThrow(
        expect.objectContaining({ message: expect.stringContaining("no plugin"), hint: "Run npm run build first" }),
    );
});
