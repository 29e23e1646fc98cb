import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../process/run-program";
import { makeSchema } from "./make-schema";

writeFileSync(join(ROOT, "schema.json"), makeSchema());
