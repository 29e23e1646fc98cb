import { OUTPUT, SECRET, SIGNATURE } from "../../../provider/values/engine-marks";
import { isUnknown, UNKNOWN } from "../../../provider/values/unknown";

test("a value is unknown if any part of it is", () => {
    for (const value of [UNKNOWN, [UNKNOWN], { a: 1, b: { c: UNKNOWN } }]) expect(isUnknown(value)).toBe(true);
    for (const value of ["", undefined, null, 7, {}, [], { a: { b: "c" } }]) expect(isUnknown(value)).toBe(false);
});

test("the marks are those of the engine: with any other, secrets and unknown values would pass for plain ones", () => {
    expect({ UNKNOWN, SIGNATURE, SECRET, OUTPUT }).toEqual({
        UNKNOWN: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        SIGNATURE: "4dabf18193072939515e22adb298388d",
        SECRET: "1b47061264138c4ac30d75fd1eb44270",
        OUTPUT: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
    });
});
