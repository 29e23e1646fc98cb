// Creates and deletes one peer per resource, over connections that all of them share.
const { Pool } = require("undici");

const PEERS = "/apis/kilo.squat.ai/v1alpha1/peers";
let pool;

async function call({ url, token, ca }, method, path, body) {
    pool ??= new Pool(url, { connections: 16, connect: { ca } });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await pool.request({ method, path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
}

exports.check = async (_olds, news) => ({ inputs: news, failures: [] });
exports.diff = async (_id, olds, news) => ({ changes: olds.body !== news.body });
exports.create = async (inputs) => {
    const { metadata } = await call(inputs, "POST", PEERS, inputs.body);
    return { id: metadata.name, outs: { ...inputs, uid: metadata.uid } };
};
exports.delete = async (id, outs) => {
    await call(outs, "DELETE", `${PEERS}/${id}`);
};
