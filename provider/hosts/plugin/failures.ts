import { Metadata, type ServerErrorResponse, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { PartialFailure } from "../../resources/host";
import { leave } from "./properties";

/**
 * How the engine is told. Of a partial failure it records id and properties, and plans an update by itself next time;
 * that part travels in a header that gRPC has for details.
 */
export function asFailure(error: unknown, secrets: ReadonlySet<string>): Partial<ServerErrorResponse> {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof PartialFailure)) return { code: status.UNKNOWN, details: message };
    const failed = new ErrorResourceInitFailed();
    failed.setId(error.id);
    failed.setProperties(leave(error.properties, secrets));
    failed.setReasonsList(error.reasons);
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const answer = new Status();
    answer.setCode(status.UNKNOWN);
    answer.setMessage(message);
    answer.addDetails(detail);
    const metadata = new Metadata();
    metadata.add("grpc-status-details-bin", Buffer.from(answer.serializeBinary()));
    return { code: status.UNKNOWN, details: message, metadata };
}
