import type { PartialFailure } from "../../provider/resources/host";

/** What a partial failure says, line by line: the summary stands behind the last reason. */
export const reasonsIn = (failure: unknown): readonly string[] =>
    (failure as PartialFailure).reasons.flatMap((reason) => reason.split("\n"));
