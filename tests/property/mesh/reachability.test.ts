import { planMesh } from "../../../provider/mesh/plan-mesh";
import fc from "../../support/chance";
import { judge } from "../../support/kilo-model/judge";
import { kiloModel } from "../../support/kilo-model/kilo-model";
import { holds, RUNS } from "./arbitrary-mesh";
import { declaredMesh } from "./declared-mesh";
import { objectsOf } from "./objects-of";
import { servicesJudged } from "./services-judged";

test("of any mesh Kilo makes just what its program declares: these pods reach each other both ways, no others do", () => {
    fc.assert(
        fc.property(declaredMesh, (mesh) => {
            const clusters = objectsOf(mesh);
            const model = kiloModel(clusters, mesh.options);
            const found = judge({ clusters, declaration: mesh.declaration, options: mesh.options, model });
            holds(found.length === 0, `${found.length} violations, the first of them`, found[0], mesh.input);
            const wrong = servicesJudged(mesh, model);
            holds(wrong.length === 0, "services", wrong[0], mesh.input);
            const said = planMesh(mesh.input).issues.flatMap(({ code, path }) =>
                code === "LeaderExcluded" ? [path] : [],
            );
            holds(said.join() === mesh.excludedLeaders.join(), "excluded leaders", said, mesh.excludedLeaders);
        }),
        { numRuns: RUNS },
    );
});
