import { type ServiceRanges, serviceRanges } from "../../provider/kube/service-ranges";
import { type Observation, type ObserveProgress, observeClusters } from "../../provider/observe/observe-clusters";

/** A cluster as the files will name it. */
export interface Candidate {
    readonly name: string;
    readonly kubeconfig: string;
    readonly context: string;
}

export type Surveyed = Extract<Observation, { ok: true }> & { readonly services: ServiceRanges };
export type Failed = Extract<Observation, { ok: false }>;

export interface SurveyOptions {
    readonly timeoutSeconds: number;
    readonly onProgress: (progress: ObserveProgress) => void;
}

export type Survey = (
    candidates: readonly Candidate[],
    options: SurveyOptions,
) => Promise<Readonly<Record<string, Surveyed | Failed>>>;

/** Reads nodes, peers and service ranges of all of them at once, the way that the program will reach them. */
export const survey: Survey = async (candidates, { timeoutSeconds, onProgress }) => {
    const targets = candidates.map(({ name, kubeconfig, context }) => ({
        name,
        access: { cluster: name, kubeconfig, context },
    }));
    const { clusters } = await observeClusters(targets, { requestTimeoutSeconds: timeoutSeconds, onProgress });
    const entries = await Promise.all(
        targets.map(async ({ name, access }) => {
            const found = clusters[name]!;
            if (!found.ok) return [name, found] as const;
            const services = await serviceRanges(access, { requestTimeoutSeconds: timeoutSeconds });
            return [name, { ...found, services }] as const;
        }),
    );
    return Object.fromEntries(entries);
};
