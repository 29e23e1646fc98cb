// The least that writing peers can cost: one process, so many requests at a time per API server, nothing else.
//
//     node bare-loop.js create|delete <file> [--serial]     prints { milliseconds }
//
// Serial: one cluster after the other, one request at a time, and a list of nodes and of peers before the writes.
// The file lists targets: { url, ca, token, connections, peers }. Time runs from the first request to the last answer.
const fs = require("node:fs");
const { Pool } = require("undici");

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
const [, , verb, file, serial] = process.argv;
const targets = JSON.parse(fs.readFileSync(file, "utf8"));

async function loop({ url, ca, token, connections, peers }) {
    const pool = new Pool(url, { connections, connect: { ca } });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const read = async (path) => (await pool.request({ method: "GET", path, headers })).body.json();
    if (serial) for (const path of ["/api/v1/nodes", PEERS]) await read(path);
    const rest = peers.values();
    const worker = async () => {
        for (const peer of rest) {
            const answer = await pool.request(
                verb === "create"
                    ? { method: "POST", path: PEERS, headers, body: JSON.stringify(peer) }
                    : { method: "DELETE", path: `${PEERS}/${peer.metadata.name}`, headers },
            );
            const text = await answer.body.text();
            if (answer.statusCode >= 300) throw new Error(`${verb} ${peer.metadata.name}: ${text}`);
        }
    };
    await Promise.all(Array.from({ length: serial ? 1 : connections }, worker));
    await pool.close();
}

async function all() {
    if (!serial) return Promise.all(targets.map(loop));
    for (const target of targets) await loop(target);
}

const start = performance.now();
all().then(() => {
    console.log(JSON.stringify({ milliseconds: performance.now() - start }));
});
