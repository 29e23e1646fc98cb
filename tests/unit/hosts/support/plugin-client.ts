import { credentials, type Server, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConstructResponse, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { listen, type PluginServer, pluginServer } from "../../../../provider/hosts/plugin/server";
import type { Host, Props } from "../../../../provider/resources/host";

const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** As the engine sends a secret. */
export const secret = (value: unknown): unknown => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value });

/** As the engine sends an output value that is not known yet. */
export const unknownOutput = (): unknown => ({ [SIGNATURE]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" });

export const struct = (props: Props): Struct =>
    Struct.fromJavaScript(props as Parameters<typeof Struct.fromJavaScript>[0]);

export const urn = (type: string): string =>
    `urn:pulumi:dev::meshes::kilo-clustermesh:index:ClusterMesh$kilo-clustermesh:index:${type}::edge-hub`;

export interface Connected {
    readonly client: ResourceProviderClient;
    readonly close: () => void;
}

/** A plugin in this process, and the engine's side of the connection. */
export async function connectPlugin(host: Host, more: Partial<PluginServer> = {}): Promise<Connected> {
    const server: Server = pluginServer({
        version: "1.2.3",
        schema: () => '{"name":"kilo-clustermesh"}',
        construct: async () => new ConstructResponse(),
        attach: () => undefined,
        host,
        delivered: async () => undefined,
        ...more,
    });
    const port = await listen(server);
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    return {
        client,
        close: () => {
            client.close();
            server.forceShutdown();
        },
    };
}

/** One call as a promise. */
export const ask = <R>(call: (done: (error: ServiceError | null, answer: R) => void) => unknown): Promise<R> =>
    new Promise((resolve, reject) => {
        call((error, answer) => (error === null ? resolve(answer) : reject(error)));
    });

/** The failure that the engine gets: there must be one. */
export const failureOf = (work: Promise<unknown>): Promise<ServiceError> =>
    work.then(
        () => {
            throw new Error("it did not fail");
        },
        (error: ServiceError) => error,
    );

/** What an answer says of a partial failure, as the engine reads it. */
export function initFailed(error: ServiceError): { id: string; properties: Props; reasons: readonly string[] } {
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    const [detail] = Status.deserializeBinary(bytes as Buffer).getDetailsList();
    const failed = detail!.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed")!;
    return {
        id: failed.getId(),
        properties: failed.getProperties()!.toJavaScript(),
        reasons: failed.getReasonsList(),
    };
}
