import * as pulumi from "@pulumi/pulumi";

/** Part of every Output of every SDK version we accept, though not of its published type. */
interface Knowable<T> {
    readonly isKnown: Promise<boolean>;
    promise(): Promise<T>;
}

const knowable = <T>(output: pulumi.Output<T>): Knowable<T> => output as unknown as Knowable<T>;

export const isKnown = (output: pulumi.Output<unknown>): Promise<boolean> => knowable(output).isKnown;

/** The value, or undefined where a preview does not know it yet. Never hangs, unlike waiting for `apply`, which makes another Output too. */
export const knownValue = async <T>(output: pulumi.Output<T>): Promise<T | undefined> =>
    (await isKnown(output)) ? knowable(output).promise() : undefined;

interface Component {
    readonly __childResources?: ReadonlySet<pulumi.Resource>;
}

/** Known once the resources exist: a component counts when the children it has by then do. */
function exists(resource: pulumi.Resource): pulumi.Output<unknown> {
    if (pulumi.CustomResource.isInstance(resource)) return resource.id;
    return resource.urn.apply(() =>
        pulumi.all([...((resource as Component).__childResources ?? [])].map((child) => exists(child))),
    );
}

/**
 * We read the clusters from the program, so `dependsOn` must hold up the reading too: Kilo may be installed by the
 * very resource that is named there.
 */
export function whenReady(dependsOn: pulumi.ResourceOptions["dependsOn"]): pulumi.Output<unknown> {
    return pulumi
        .output(dependsOn as pulumi.Input<pulumi.Resource | pulumi.Resource[] | undefined>)
        .apply((found) => pulumi.all([found ?? []].flat().map((resource) => exists(resource as pulumi.Resource))));
}
