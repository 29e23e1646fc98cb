import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files an API server is started with: who may call it, and the key that signs service account tokens. */
export interface ServerCredentials {
    readonly adminToken: string;
    readonly tokenFile: string;
    readonly signingKeyFile: string;
    readonly certificateDirectory: string;
    /** Written by the API server at its first start: its certificate and, after it, the CA it made for it. */
    readonly caFile: string;
}

export function createCredentials(directory: string): ServerCredentials {
    const certificateDirectory = join(directory, "tls");
    mkdirSync(certificateDirectory, { recursive: true, mode: 0o700 });
    const adminToken = randomBytes(24).toString("hex");
    const tokenFile = join(directory, "tokens.csv");
    writeFileSync(tokenFile, `${adminToken},admin,admin,"system:masters"\n`, { mode: 0o600 });
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signingKeyFile = join(directory, "service-account.key");
    writeFileSync(signingKeyFile, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
    return {
        adminToken,
        tokenFile,
        signingKeyFile,
        certificateDirectory,
        caFile: join(certificateDirectory, "apiserver.crt"),
    };
}

export function kubeconfigText(values: { name: string; url: string; ca: string; user: string; token: string }): string {
    const { name, url, ca, user, token } = values;
    return `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
  - name: ${name}
    cluster:
      server: ${url}
      certificate-authority-data: ${Buffer.from(ca).toString("base64")}
users:
  - name: ${user}
    user:
      token: ${token}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${user}
`;
}
