import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The unit tests of the mesh core as one file, for mutation testing only: a mutant is tried in a fraction of a second when
 * the modules are loaded once. What is about size is left out.
 */
const folder = join(__dirname, "../unit/mesh");
const files = readdirSync(folder).filter((file) => file.endsWith(".test.ts") && file !== "scale.test.ts");

describe.each(files)("%s", (file) => {
    require(join(folder, file));
});
