import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { readArguments } from "../../../../cli/arguments";
import { watch } from "../../../../cli/watch/command";
import { freePort } from "../../../../tools/clusters/ports";
import { type ApiDouble, startApiDouble } from "../../../support/api-double";
import { readExposition, valuesOf } from "./exposition";

let directory: string;
let doubles: readonly ApiDouble[];
beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "kilo-listen-"));
    doubles = [await startApiDouble(), await startApiDouble()];
    const clusters = doubles.map(({ kubeconfig }, at) => {
        writeFileSync(path.join(directory, `c${at}.json`), kubeconfig);
        return { name: `c${at}`, kubeconfig: `c${at}.json`, podCIDRs: [`10.${at}.0.0/16`] };
    });
    writeFileSync(path.join(directory, "mesh.yaml"), JSON.stringify({ mesh: "global", clusters }));
});
afterEach(async () => {
    await Promise.all(doubles.map((double) => double.close()));
    rmSync(directory, { recursive: true, force: true });
});

/** A watcher with this address, whose runs do nothing. */
function started(listen: string): { readonly done: Promise<number>; stop(): void } {
    const asked = readArguments(["watch", "--listen", listen, "--", process.execPath, "--eval", ""]);
    if (asked.kind !== "run" || asked.watch === undefined) throw new Error("not a watch");
    let stop = (): void => undefined;
    const done = watch(
        { ...asked, watch: asked.watch },
        {
            cwd: directory,
            env: process.env,
            input: async () => "",
            onStop: (asked) => {
                stop = asked;
            },
            log: () => undefined,
        },
    );
    return { done, stop: () => stop() };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let round = 0; round < 600; round++) {
        if (await holds().catch(() => false)) return;
        await sleep(50);
    }
    throw new Error("it did not happen");
}

test("watch --listen serves its health and metrics, counts its runs, and lets the port go at its end", async () => {
    const port = await freePort();
    const { done, stop } = started(`127.0.0.1:${port}`);
    const ask = async (page: string): Promise<{ status: number; text: string }> => {
        const { statusCode, body } = await request(`http://127.0.0.1:${port}${page}`);
        return { status: statusCode, text: await body.text() };
    };
    const metrics = async (): Promise<Readonly<Record<string, number>>> =>
        valuesOf(readExposition((await ask("/metrics")).text));
    await until(async () => (await ask("/readyz")).status === 200);
    await until(async () => (await metrics())['kilo_clustermesh_runs_total{mesh="global",outcome="succeeded"}'] === 1);
    expect((await ask("/healthz")).status).toBe(200);
    const found = await metrics();
    expect(found['kilo_clustermesh_member_state{cluster="c1",mesh="global",state="seen"}']).toBe(1);
    expect(found['kilo_clustermesh_run_duration_seconds_count{mesh="global",outcome="succeeded"}']).toBe(1);
    expect(found['kilo_clustermesh_last_success_timestamp_seconds{mesh="global"}']).toBeGreaterThan(0);
    const { text } = await ask("/metrics");
    for (const { kubeconfig, url } of doubles) {
        expect(text).not.toContain(url);
        for (const [, token] of kubeconfig.matchAll(/token"?: ?"?([^"\s]+)/g)) expect(text).not.toContain(token);
    }
    stop();
    await done;
    await expect(ask("/healthz")).rejects.toThrow();
});

test("an address that is taken ends watch before it contacts any member", async () => {
    const port = Number(new URL(doubles[0]!.url).port);
    const { done } = started(`127.0.0.1:${port}`);
    await expect(done).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: another process listens there`);
    expect(doubles.map(({ requests }) => requests)).toEqual([0, 0]);
});
