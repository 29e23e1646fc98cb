import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A key pair with its certificate, PEM. */
export interface Identity {
    readonly cert: string;
    readonly key: string;
}

export interface CertificateOptions {
    readonly commonName: string;
    readonly organization?: string;
    /** DNS names and IPv4 addresses it is valid for. */
    readonly hosts?: readonly string[];
    readonly notBefore?: Date;
    readonly notAfter?: Date;
}

const DAY = 86_400_000;

/** A certificate authority made for one test, so that no private key lies in the repository. */
export class TestCa {
    readonly #key: KeyObject;
    readonly #name: Buffer;
    readonly cert: string;

    constructor(commonName = "test CA") {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        this.#key = privateKey;
        this.#name = distinguishedName({ commonName });
        this.cert = certificate(this.#key, this.#name, this.#name, publicKey, { commonName }, true);
    }

    issue(options: CertificateOptions): Identity {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        return {
            key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
            cert: certificate(this.#key, this.#name, distinguishedName(options), publicKey, options, false),
        };
    }
}

function certificate(
    signer: KeyObject,
    issuer: Buffer,
    subject: Buffer,
    publicKey: KeyObject,
    options: CertificateOptions,
    ca: boolean,
): string {
    const { notBefore = new Date(Date.now() - DAY), notAfter = new Date(Date.now() + 365 * DAY) } = options;
    const algorithm = sequence(oid("2a8648ce3d040302")); // ecdsa-with-SHA256
    const body = sequence(
        tag(0xa0, integer(Buffer.from([2]))),
        integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
        algorithm,
        issuer,
        sequence(time(notBefore), time(notAfter)),
        subject,
        publicKey.export({ type: "spki", format: "der" }),
        tag(0xa3, sequence(...extensions(options.hosts ?? [], ca))),
    );
    const signature = tag(0x03, Buffer.from([0]), sign("sha256", body, signer));
    const text = sequence(body, algorithm, signature).toString("base64").replace(/.{64}/g, "$&\n");
    return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

function extensions(hosts: readonly string[], ca: boolean): Buffer[] {
    const constraints = ca ? sequence(tag(0x01, Buffer.from([0xff]))) : sequence();
    const all = [extension("551d13", constraints)];
    if (hosts.length > 0) {
        const names = hosts.map((host) =>
            isIPv4(host) ? tag(0x87, Buffer.from(host.split(".").map(Number))) : tag(0x82, Buffer.from(host)),
        );
        all.push(extension("551d11", sequence(...names)));
    }
    return all;
}

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), tag(0x04, value));

function distinguishedName({ commonName, organization }: CertificateOptions): Buffer {
    const part = (id: string, value: string): Buffer => tag(0x31, sequence(oid(id), tag(0x0c, Buffer.from(value))));
    return sequence(...(organization ? [part("55040a", organization)] : []), part("550403", commonName));
}

// DER: a tag, a length and the content.
function tag(type: number, ...content: readonly Buffer[]): Buffer {
    const value = Buffer.concat(content);
    const { length } = value;
    const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
    return Buffer.concat([Buffer.from([type, ...size]), value]);
}

const sequence = (...content: readonly Buffer[]): Buffer => tag(0x30, ...content);
const integer = (value: Buffer): Buffer => tag(0x02, value);
const oid = (hex: string): Buffer => tag(0x06, Buffer.from(hex, "hex"));
/** UTCTime, good until 2049. */
const time = (date: Date): Buffer =>
    tag(0x17, Buffer.from(`${date.toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "").slice(2)}`));
