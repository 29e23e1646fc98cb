import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Host } from "../../resources/host";
import { Cancellation } from "./cancellation";
import { type ResourceHost, resourceCalls } from "./resource-calls";

/** Values may be large: a state with thousands of peers is one message. */
const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

export interface PluginServer extends ResourceHost {
    readonly version: string;
    readonly schema: () => string;
    /** Makes a ClusterMesh; everything it needs is loaded by the first call. */
    readonly construct: (request: proto.ConstructRequest) => Promise<proto.ConstructResponse>;
    /** The engine tells its address this way where it did not start us. */
    readonly attach: (address: string) => void;
}

type Handler<Q, R> = (call: ServerUnaryCall<Q, R>, callback: sendUnaryData<R>) => void;

const answer =
    <Q, R>(work: (request: Q) => R | Promise<R>): Handler<Q, R> =>
    async ({ request }, callback) => {
        try {
            callback(null, await work(request));
        } catch (error) {
            const details = error instanceof Error ? error.message : String(error);
            callback({ code: status.UNKNOWN, details }, null);
        }
    };

/**
 * Pulumi's provider protocol over our resources. There is no Handshake: with it the engine would call Create and Update
 * in previews (docs/pulumi.md: plugin protocol).
 */
export function pluginServer({ version, schema, construct, attach, host, delivered }: PluginServer): Server {
    const cancellation = new Cancellation();
    const guarded: Host = cancellation.guard(host);
    const server = new Server(UNLIMITED);
    server.addService(ResourceProviderService, {
        ...resourceCalls({ host: guarded, delivered }),
        construct: answer(construct),
        getSchema: answer(() => {
            const response = new proto.GetSchemaResponse();
            response.setSchema(schema());
            return response;
        }),
        getPluginInfo: answer(() => {
            const info = new PluginInfo();
            info.setVersion(version);
            return info;
        }),
        configure: answer(() => {
            const response = new proto.ConfigureResponse();
            response.setAcceptsecrets(true);
            response.setAcceptresources(true);
            response.setAcceptoutputs(true);
            response.setSupportspreview(false);
            return response;
        }),
        cancel: answer(() => {
            cancellation.cancel();
            return new Empty();
        }),
        attach: answer((request: PluginAttach) => {
            attach(request.getAddress());
            return new Empty();
        }),
    });
    return server;
}

/** The port on which the engine finds it. */
export const listen = (server: Server): Promise<number> =>
    new Promise((resolve, reject) => {
        server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
            if (error === null) resolve(port);
            else reject(error);
        });
    });
