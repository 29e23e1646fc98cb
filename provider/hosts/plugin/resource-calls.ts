import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Host, Props } from "../../resources/host";
import { kindOf } from "../shared/kinds";
import { asFailure } from "./failures";
import { type Entered, enter, leave } from "./properties";
import { resourceOfUrn } from "./resource-types";

export interface ResourceHost {
    readonly host: Host;
    /** When everything that was said on the way is shown: later lines are not. */
    readonly delivered: () => Promise<void>;
}

interface Request {
    getUrn(): string;
}

/** Opens a bag of the call, and remembers what was secret in it. */
type Open = (struct: Struct | undefined) => Entered;

/** Check, Diff, Create, Read, Update and Delete over the same resources that the dynamic host serves. */
export function resourceCalls({ host, delivered }: ResourceHost): UntypedServiceImplementation {
    const call =
        <Q extends Request, R>(work: (request: Q, open: Open, secrets: ReadonlySet<string>) => R | Promise<R>) =>
        async ({ request }: ServerUnaryCall<Q, R>, callback: sendUnaryData<R>): Promise<void> => {
            const secrets = new Set<string>();
            try {
                const urn = request.getUrn();
                const resource = resourceOfUrn(urn);
                const open: Open = (struct) => {
                    const entered = enter(struct, resource, urn);
                    for (const key of entered.secrets) secrets.add(key);
                    return entered;
                };
                const answer = await work(request, open, secrets);
                await delivered();
                callback(null, answer);
            } catch (error) {
                await delivered();
                const failure = asFailure(error, secrets);
                callback(failure, null, failure.metadata);
            }
        };
    return {
        check: call((request: proto.CheckRequest, open, secrets) => {
            const olds = open(request.getOlds()).props;
            const news = open(request.getNews()).props;
            const { inputs, failures } = kindOf(news).check(host, olds, news);
            const answer = new proto.CheckResponse();
            answer.setInputs(leave(inputs, secrets));
            answer.setFailuresList(failures.map(checkFailure));
            return answer;
        }),
        diff: call((request: proto.DiffRequest, open) => {
            const news = open(request.getNews()).props;
            const { changes } = kindOf(news).diff(open(request.getOlds()).props, news);
            const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
            const answer = new proto.DiffResponse();
            answer.setChanges(changes ? DIFF_SOME : DIFF_NONE);
            return answer;
        }),
        create: call(async (request: proto.CreateRequest, open, secrets) => {
            const inputs = open(request.getProperties()).props;
            const answer = new proto.CreateResponse();
            const { id, outs } = request.getPreview()
                ? { id: "", outs: inputs }
                : await kindOf(inputs).create(host, inputs);
            answer.setId(id);
            answer.setProperties(leave(outs, secrets));
            return answer;
        }),
        read: call(async (request: proto.ReadRequest, open, secrets) => {
            const { props: outs, carried } = open(request.getProperties());
            if (!isRecorded(outs)) throw new Error(NO_IMPORT);
            const { id, props, inputs } = await kindOf(outs).read(host, request.getId(), outs);
            const answer = new proto.ReadResponse();
            answer.setId(id);
            answer.setProperties(leave(props, secrets, carried));
            if (inputs !== undefined) answer.setInputs(leave(inputs, secrets));
            return answer;
        }),
        update: call(async (request: proto.UpdateRequest, open, secrets) => {
            const olds = open(request.getOlds()).props;
            const news = open(request.getNews()).props;
            const { outs } = request.getPreview()
                ? { outs: news }
                : await kindOf(news).update(host, request.getId(), olds, news);
            const answer = new proto.UpdateResponse();
            answer.setProperties(leave(outs, secrets));
            return answer;
        }),
        delete: call(async (request: proto.DeleteRequest, open) => {
            const outs = open(request.getProperties()).props;
            await kindOf(outs).delete(host, request.getId(), outs);
            return new Empty();
        }),
    };
}

function checkFailure({
    property,
    reason,
}: {
    readonly property: string;
    readonly reason: string;
}): proto.CheckFailure {
    const failure = new proto.CheckFailure();
    failure.setProperty(property);
    failure.setReason(reason);
    return failure;
}

/** An import reads by id alone. */
const isRecorded = (outs: Props): boolean => outs.mesh !== undefined;

const NO_IMPORT =
    "the resources of a mesh cannot be imported: declare the ClusterMesh with adopt: true, and `pulumi up` takes its peers over";
