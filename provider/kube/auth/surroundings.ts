import { homedir } from "node:os";

/** What is read from the machine we run on; tests bring their own. */
export interface Surroundings {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly home: string;
    readonly serviceAccountDirectory: string;
}

export const thisMachine = (): Surroundings => ({
    env: process.env,
    home: homedir(),
    serviceAccountDirectory: "/var/run/secrets/kubernetes.io/serviceaccount",
});
