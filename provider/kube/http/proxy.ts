import { BlockList, isIP } from "node:net";
import { configError } from "../errors/kube-error";

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy between us and `server`, if any: the kubeconfig's, else the environment's as kubectl reads it. */
export function proxyFor(cluster: string, server: URL, proxyUrl: string | undefined, env: Env): URL | undefined {
    const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    const given = proxyUrl ?? fromEnvironment(server, env, variable);
    if (!given) return undefined;
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url && /^(https?|socks5h?|socks):$/.test(url.protocol) && url.hostname !== "") return url;
    throw configError(
        cluster,
        `${proxyUrl === undefined ? variable : "proxy-url in its kubeconfig"} is not an http, https or socks5 address`,
        "Correct it, for instance http://proxy.example.com:3128",
    );
}

/** A variable may leave out the scheme, as for curl and kubectl; a kubeconfig may not. */
function fromEnvironment(server: URL, env: Env, variable: string): string | undefined {
    const value = isExempt(server, env) ? undefined : (env[variable] || env[variable.toLowerCase()])?.trim();
    return value && !value.includes("://") ? `http://${value}` : value;
}

function isExempt(server: URL, env: Env): boolean {
    const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
    if (host === "localhost" || matchesNetwork(host, "127.0.0.0/8") || host === "::1") return true;
    const port = server.port || (server.protocol === "https:" ? "443" : "80");
    return (env.NO_PROXY || env.no_proxy || "")
        .split(",")
        .map((rule) => rule.trim().toLowerCase())
        .some((rule) => rule !== "" && matches(rule, host, port));
}

function matches(rule: string, host: string, port: string): boolean {
    if (rule === "*") return true;
    if (rule.includes("/")) return matchesNetwork(host, rule);
    if (isIP(rule) !== 0) return rule === host;
    const [name = "", rulePort] = rule.replace(/^\[(.*)\]/, "$1").split(/:(?=\d+$)/);
    if (rulePort !== undefined && rulePort !== port) return false;
    const suffix = name.replace(/^\*?\.?/, "");
    return suffix !== "" && (host.endsWith(`.${suffix}`) || (host === suffix && !/^\*?\./.test(name)));
}

function matchesNetwork(host: string, network: string): boolean {
    const [address = "", prefix = ""] = network.split("/");
    const family = isIP(host);
    if (family === 0 || isIP(address) !== family || !/^\d{1,3}$/.test(prefix)) return false;
    if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
    const list = new BlockList();
    const type = family === 4 ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(prefix), type);
    return list.check(host, type);
}
