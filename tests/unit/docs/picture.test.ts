import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCli } from "../cli/support/run-cli";
import { healthy } from "../cli/support/scenario";
import { ROOT } from "./support/check-types";

/** With UPDATE_GOLDEN=1 in the environment it is drawn again. */
test("the picture in the README is what the command draws of the README's mesh", async () => {
    const file = path.join(ROOT, "docs/mesh.svg");
    const { out, code } = await runCli(["graph", "--format", "svg"], healthy());
    expect(code).toBe(0);
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, out);
    expect(readFileSync(file, "utf8")).toBe(out);
});
