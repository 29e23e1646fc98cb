import * as pulumi from "@pulumi/pulumi";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { DependencyProviderResource, DependencyResource } from "@pulumi/pulumi/resource";

/** The options that a program gave, of which the engine passes on what concerns us. What it did not give stays absent. */
export function constructOptions(request: ConstructRequest): pulumi.ComponentResourceOptions {
    const dependsOn = request.getDependenciesList().map((urn) => new DependencyResource(urn));
    const providers = [...request.getProvidersMap().entries()].map(
        ([name, reference]) => [name, new DependencyProviderResource(reference)] as const,
    );
    return {
        aliases: request.getAliasesList().map(aliasOf),
        ...(dependsOn.length === 0 ? {} : { dependsOn }),
        ...(providers.length === 0 ? {} : { providers: Object.fromEntries(providers) }),
        ...(request.getParent() === "" ? {} : { parent: new DependencyResource(request.getParent()) }),
        ...(request.getProtect() ? { protect: true } : {}),
        ...(request.getRetainondelete() ? { retainOnDelete: true } : {}),
        ...(request.getDeletedwith() === "" ? {} : { deletedWith: new DependencyResource(request.getDeletedwith()) }),
    };
}

type Alias = ReturnType<ConstructRequest["getAliasesList"]>[number];

function aliasOf(alias: Alias): string | pulumi.Alias {
    const spec = alias.getSpec();
    if (spec === undefined) return alias.getUrn();
    const parent = spec.getNoparent() ? pulumi.rootStackResource : spec.getParenturn();
    return {
        ...(spec.getName() === "" ? {} : { name: spec.getName() }),
        ...(spec.getType() === "" ? {} : { type: spec.getType() }),
        ...(spec.getProject() === "" ? {} : { project: spec.getProject() }),
        ...(spec.getStack() === "" ? {} : { stack: spec.getStack() }),
        ...(parent === "" ? {} : { parent: parent as string | pulumi.Resource }),
    };
}
