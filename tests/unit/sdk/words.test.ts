import type { SkippedNode } from "../../../provider/mesh/types";
import { describeSkipped } from "../../../sdk/nodejs/words";

test("a node that is left out in two targets is one node, with a line for each", () => {
    const left = (target: string): SkippedNode => ({
        cluster: "berlin",
        node: "n1",
        reason: "PeerNameForeign",
        message: "its name is taken",
        target,
    });
    expect(describeSkipped([left("hub"), left("tokyo")])).toBe(
        [
            "1 node is left out of the mesh. Run `npx kilo-clustermesh doctor --stack <stack>` for what to do about each",
            "  - berlin/n1 in hub (PeerNameForeign): its name is taken",
            "  - berlin/n1 in tokyo (PeerNameForeign): its name is taken",
        ].join("\n"),
    );
});
