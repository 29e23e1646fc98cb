import { configError } from "../../../provider/kube/errors/kube-error";
import { issue } from "../../../provider/mesh/report/findings";
import type { Fix } from "../../../provider/values/fix";

test("the compiler refuses a fix that does not start with a capital and a verb", () => {
    const accepted: Fix[] = ["Check the path", "Run `pulumi up` again"];
    // @ts-expect-error: a small letter
    const small: Fix = "check the path";
    // @ts-expect-error: not a verb
    const noVerb: Fix = "The path is wrong";
    // @ts-expect-error: errors of clusters are held to it
    const ofCluster = configError("edge", "its kubeconfig is empty", "give one");
    // @ts-expect-error: so are issues
    const ofIssue = issue("CidrInvalid", { path: "p", text: "t", problem: "is wrong", fix: "write it again" });
    expect([accepted, small, noVerb, ofCluster, ofIssue]).toBeDefined();
});
