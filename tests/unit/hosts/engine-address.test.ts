import { engineAddress } from "../../../provider/hosts/plugin/engine-address";

test.each([
    ["alone", ["127.0.0.1:4711"], "127.0.0.1:4711"],
    [
        "after flags of a verbose run",
        ["--logtostderr", "-v=9", "--tracing", "file:///t", "127.0.0.1:4711"],
        "127.0.0.1:4711",
    ],
    ["not given", [], undefined],
])("the engine's address is found %s", (_, given, expected) => {
    expect(engineAddress(given)).toBe(expected);
});
