import { createServer, type RequestListener } from "node:http";
import { close, listen } from "./api-double";
import { kubeconfigFor } from "./kubeconfig";

/** A server that says whatever the test wants, for answers no API server would give. */
export interface ScriptedServer {
    readonly url: string;
    readonly kubeconfig: string;
    close(): Promise<void>;
}

export async function startScriptedServer(script: RequestListener): Promise<ScriptedServer> {
    const server = createServer(script);
    const url = `http://127.0.0.1:${await listen(server)}`;
    return { url, kubeconfig: kubeconfigFor({ server: url, token: "scripted-token" }), close: () => close(server) };
}
