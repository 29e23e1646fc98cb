import type { Resource } from "@pulumi/pulumi";
import * as pulumi from "@pulumi/pulumi";
import { type ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { resetOptions } from "@pulumi/pulumi/runtime";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ClusterMesh, type ClusterMeshArgs } from "../../../sdk/nodejs";
import { servedByPlugin } from "../../../sdk/nodejs/child-types";
import { endOf } from "../../../sdk/nodejs/fail-at-the-end";
import { constructOptions } from "./construct-options";
import { awaitFeatureSupport, deserializeInputs, urnOf, waitForRPCs } from "./unpublished";

const COMPONENT = "kilo-clustermesh:index:ClusterMesh";

/** A mesh that is being made, and how to end that with an error. */
interface Flight {
    mesh?: Resource;
    readonly fail: (error: Error) => void;
}

const flights = new Set<Flight>();

/**
 * What goes wrong after the constructor has returned, in a promise that nobody waits for, belongs to the mesh that the
 * error names; where it names none, to all that are being made.
 */
function onUncaught(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { resource } = error as { resource?: unknown };
    const own = [...flights].filter(({ mesh }) => mesh !== undefined && mesh === resource);
    for (const { fail } of own.length > 0 ? own : flights) fail(error);
}

process.on("unhandledRejection", onUncaught);
process.on("uncaughtException", onUncaught);
servedByPlugin();

/** Makes the very component that a TypeScript program makes, and answers when all of it is done. */
export async function construct(request: ConstructRequest, engineAddress: string): Promise<ConstructResponse> {
    if (request.getType() !== COMPONENT) {
        throw new Error(`the plugin kilo-clustermesh has no component ${request.getType()}: it has ${COMPONENT}`);
    }
    return new Promise((resolve, reject) => {
        const flight: Flight = { fail: reject };
        flights.add(flight);
        make(request, engineAddress, flight)
            .then(resolve, reject)
            .finally(() => flights.delete(flight));
    });
}

/** The run that the SDK is set up for. */
let run: { readonly monitor: string; readonly isReady: Promise<void> } | undefined;

/**
 * Sets up the SDK once for all meshes of a run: a process serves one engine, so they have the same settings. A store for
 * each of them, as Pulumi's provider server has it, hooks into every promise: a tenth of what the plugin computes.
 */
function joinRun(request: ConstructRequest, engineAddress: string): Promise<void> {
    const monitor = request.getMonitorendpoint();
    if (run?.monitor !== monitor) {
        resetOptions(
            request.getProject(),
            request.getStack(),
            request.getParallel(),
            engineAddress,
            monitor,
            request.getDryrun(),
            request.getOrganization(),
        );
        const config = Object.fromEntries(request.getConfigMap().entries());
        pulumi.runtime.setAllConfig(config, request.getConfigsecretkeysList());
        run = { monitor, isReady: awaitFeatureSupport() };
    }
    return run.isReady;
}

async function make(request: ConstructRequest, engineAddress: string, flight: Flight): Promise<ConstructResponse> {
    await joinRun(request, engineAddress);
    const args = await deserializeInputs(request.getInputs(), request.getInputdependenciesMap());
    const mesh = new ClusterMesh(request.getName(), args as ClusterMeshArgs, constructOptions(request));
    flight.mesh = mesh;
    const response = new ConstructResponse();
    response.setUrn(await urnOf(mesh));
    await answerState(response, mesh);
    await waitForRPCs();
    await endOf(mesh);
    return response;
}

async function answerState(response: ConstructResponse, mesh: ClusterMesh): Promise<void> {
    const outputs = Object.entries(mesh).filter(([key, value]) => key !== "urn" && pulumi.Output.isInstance(value));
    const [state, dependencies] = await pulumi.runtime.serializeResourceProperties(
        "ClusterMesh",
        Object.fromEntries(outputs),
    );
    response.setState(Struct.fromJavaScript(state));
    const map = response.getStatedependenciesMap();
    for (const [key, resources] of dependencies) {
        const urns = new ConstructResponse.PropertyDependencies();
        urns.setUrnsList(await Promise.all([...resources].map(urnOf)));
        map.set(key, urns);
    }
}
