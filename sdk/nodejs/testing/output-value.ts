import type * as pulumi from "@pulumi/pulumi";

/** The value of an output, for tests. */
export const outputValue = <T>(output: pulumi.Output<T>): Promise<T> =>
    new Promise((resolve) => {
        output.apply(resolve);
    });
