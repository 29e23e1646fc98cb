import { Metadata, type ServerErrorResponse, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { PartialFailure } from "../../resources/host";
import { leave } from "./properties";

/** The engine prints all of them; after a cancel in a large mesh thousands would say the same. */
const MOST_REASONS = 50;

/** The last one ends with the summary. */
const shown = (reasons: readonly string[]): string[] =>
    reasons.length <= MOST_REASONS ? [...reasons] : [...reasons.slice(0, MOST_REASONS - 1), reasons.at(-1)!];

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
    failed.setReasonsList(shown(error.reasons));
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
