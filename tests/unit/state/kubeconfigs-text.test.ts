import { decodeKubeconfigs, encodeKubeconfigs } from "../../../provider/state/kubeconfigs-text";
import { UNKNOWN } from "../../../provider/values/unknown";

const kubeconfigs = (count: number): Record<string, string> =>
    Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
            `spoke-${at}`,
            `apiVersion: v1\nkind: Config\nclusters: [{ name: c, cluster: { server: "https://${at}.example.com" } }]\n`,
        ]),
    );

test("each cluster gets its own kubeconfig back, to the letter", () => {
    const given = { ...kubeconfigs(3), odd: "ä€\u{1f600}\r\n\t\0" };
    expect(decodeKubeconfigs(encodeKubeconfigs(given))).toEqual(given);
});

test("the order in which clusters are named, and those without a kubeconfig, make no other text", () => {
    expect(encodeKubeconfigs({ b: "2", none: undefined, a: "1" })).toBe(encodeKubeconfigs({ a: "1", b: "2" }));
});

test("more texts than are remembered are read right, whatever was read between", () => {
    const texts = Array.from({ length: 9 }, (_, at) => encodeKubeconfigs({ only: `kubeconfig ${at}` }));
    for (const round of [1, 2]) {
        expect([round, ...texts.map((text) => decodeKubeconfigs(text).only)]).toEqual([
            round,
            ...texts.map((_, at) => `kubeconfig ${at}`),
        ]);
    }
});

test("what is common to the kubeconfigs of a fleet is in the text once", () => {
    const given = kubeconfigs(200);
    expect(encodeKubeconfigs(given).length).toBeLessThan(JSON.stringify(given).length / 10);
});

test.each([[undefined], [null], [UNKNOWN], [{}]])("%j holds no kubeconfig", (value) => {
    expect(decodeKubeconfigs(value)).toEqual({});
});
