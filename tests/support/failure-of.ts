import { KubeError } from "../../provider/kube/errors/kube-error";

/** The error with which it fails: it must, and as our client does. */
export async function failureOf(work: Promise<unknown>): Promise<KubeError> {
    const error = await work.then(
        () => undefined,
        (caught: unknown) => caught,
    );
    if (error instanceof KubeError) return error;
    throw new Error("it did not fail as it should", { cause: error });
}
