/** The parts of the API's objects that Kilo reads, as a list or a watch returns them. */
export interface NodeObject {
    readonly metadata?: {
        readonly name?: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] };
    readonly status?: { readonly addresses?: readonly { readonly type?: string; readonly address?: string }[] };
}

export interface PeerObject {
    readonly metadata?: { readonly name?: string };
    readonly spec?: PeerSpec;
}

export interface PeerSpec {
    readonly allowedIPs?: readonly string[];
    readonly publicKey?: string;
    readonly endpoint?: {
        readonly dnsOrIP?: { readonly dns?: string; readonly ip?: string };
        readonly port?: number;
    };
    readonly persistentKeepalive?: number;
    readonly presharedKey?: string;
}

export interface ClusterObjects {
    readonly nodes: readonly NodeObject[];
    readonly peers: readonly PeerObject[];
}

export interface NodeRef {
    readonly cluster: string;
    readonly node: string;
}
