import { isSetUp } from "../../../provider/kilo/public-key";
import { key } from "../../support/keys";

test("Kilo has set up a node when it has a key that can be used", () => {
    expect(isSetUp({ key: key(1) })).toBe(true);
    expect(isSetUp({ key: "junk" })).toBe(false);
    expect(isSetUp({})).toBe(false);
});
