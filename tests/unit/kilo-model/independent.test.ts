import { join } from "node:path";
import { importsUnder } from "../package/layers";

test("the model imports nothing but itself and Node: it judges the planner and shares no line with it", () => {
    const imports = importsUnder(join(__dirname, "../../.."), ["tests/support/kilo-model"]);
    const foreign = imports.filter(
        ({ target }) => !target.startsWith("tests/support/kilo-model/") && !target.startsWith("node:"),
    );
    expect(imports.length).toBeGreaterThan(0);
    expect(foreign).toEqual([]);
});
