import path from "node:path";
import type { ClusterAccess } from "../../provider/kube/auth/access";
import { systemClock } from "../../provider/kube/http/clock";
import type { MeshSpec } from "../../provider/mesh/types";
import type { WatchRequest } from "../arguments";
import { noSuch } from "../failure";
import { readSource, type Source, type SourceRequest, type SourceSurroundings } from "../source";
import { commandRunner } from "./command-runner";
import { operatorRunner } from "./operator-runner";
import type { Runner } from "./runner";
import { secretsOf } from "./secrets";
import { serveState } from "./serve-state";
import { keepHeapSmall } from "./small-heap";
import { startWatcher, type Watcher } from "./watcher";

export interface WatchSurroundings extends SourceSurroundings {
    /** Calls when the process is asked to end. */
    readonly onStop: (stop: () => void) => void;
    log(line: string): void;
}

const DEFAULT_TIMEOUT = 10;
const RETRY_SECONDS = 2;
const RETRY_MAX_SECONDS = 300;
/** A request to the operator in a cluster that is not a member. */
const LOCAL = "local";

/** Watches until it is asked to stop, or with `--once` until nothing differs; `onStart` is called with the watcher. */
export async function watch(
    request: SourceRequest & { readonly watch: WatchRequest; readonly timeout?: number },
    around: WatchSurroundings,
    onStart: (watcher: Watcher) => void = () => undefined,
): Promise<number> {
    keepHeapSmall();
    const { quiet, quietMax, every, once, run } = request.watch;
    const first = await readSource(request, around);
    let latest: Source = first;
    const requestTimeoutSeconds = ({ requestTimeout }: MeshSpec): number =>
        request.timeout ?? requestTimeout ?? DEFAULT_TIMEOUT;
    if (run.kind === "operator") requireHolder(run.cluster, first.mesh);
    const serving =
        request.watch.listen === undefined ? undefined : await serveState(request.watch.listen, first.mesh.mesh);
    const watcher = startWatcher({
        first,
        ...(serving === undefined ? {} : { onRun: serving.metrics.onRun }),
        ...(request.stack === undefined
            ? {}
            : {
                  reread: async () => {
                      latest = await readSource(request, around);
                      return latest;
                  },
              }),
        runner: (accessOf) => runnerFor(accessOf),
        timing: {
            quiet: quiet * 1000,
            quietMax: quietMax * 1000,
            every: every * 1000,
            retry: RETRY_SECONDS * 1000,
            retryMax: RETRY_MAX_SECONDS * 1000,
        },
        once,
        requestTimeoutSeconds,
        clock: systemClock,
        log: around.log,
    });
    around.onStop(watcher.stop);
    onStart(watcher);
    serving?.show(watcher.state);
    try {
        return await watcher.done;
    } finally {
        await serving?.server.close();
    }

    function runnerFor(accessOf: (cluster: string) => Promise<ClusterAccess>): Runner {
        if (run.kind === "command") {
            return commandRunner({
                words: run.words,
                directory: path.resolve(around.cwd, request.project ?? "."),
                env: around.env,
                secrets: () => secretsOf(latest.mesh),
            });
        }
        const { cluster, namespace, name } = run;
        const isMember = latest.mesh.clusters.some((member) => member.name === cluster);
        return operatorRunner({
            stack: { namespace, name },
            access: isMember ? () => accessOf(cluster) : async () => ({ cluster: LOCAL, local: true }),
            requestTimeoutSeconds: requestTimeoutSeconds(first.mesh),
            clock: systemClock,
        });
    }
}

function requireHolder(cluster: string, { clusters }: MeshSpec): void {
    const names = clusters.map(({ name }) => name);
    if (cluster === LOCAL || names.includes(cluster)) return;
    throw noSuch(`there is no cluster ${JSON.stringify(cluster)} in the mesh`, cluster, [...names, LOCAL]);
}
