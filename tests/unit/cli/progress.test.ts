import { type Output, startProgress } from "../../../cli/progress";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function screen(isTTY: boolean, columns?: number): Output & { text: string } {
    const output = {
        text: "",
        isTTY,
        columns,
        write: (text: string) => {
            output.text += text;
        },
    };
    return output;
}

const done = (cluster: string, count: number) => ({ cluster, ok: true, done: count, total: 3 });

test("on a terminal one line says whom we wait for, and is gone at the end", () => {
    const err = screen(true, 200);
    const progress = startProgress(["hub", "berlin", "tokyo"], err);
    jest.advanceTimersByTime(130);
    expect(err.text).toContain("0 of 3 clusters read, waiting for hub, berlin, tokyo");
    progress.update(done("hub", 1));
    jest.advanceTimersByTime(130);
    expect(err.text).toContain("1 of 3 clusters read, waiting for berlin, tokyo");
    progress.stop();
    expect(err.text.endsWith("\r\u001b[K")).toBe(true);
    expect(err.text).not.toContain("\n");
});

test("a quick run without a terminal says nothing", () => {
    const err = screen(false);
    const progress = startProgress(["hub"], err);
    jest.advanceTimersByTime(2_000);
    progress.update(done("hub", 1));
    jest.advanceTimersByTime(10_000);
    progress.stop();
    expect(err.text).toBe("");
});

test("a slow run without a terminal says in plain lines whom it waits for", () => {
    const err = screen(false);
    const progress = startProgress(["hub", "tokyo"], err);
    progress.update(done("hub", 1));
    jest.advanceTimersByTime(6_500);
    progress.stop();
    expect(err.text).toBe("1 of 2 clusters read, waiting for tokyo\n".repeat(2));
});

test("the line never grows beyond the terminal", () => {
    const err = screen(true, 40);
    const progress = startProgress(
        Array.from({ length: 30 }, (_, i) => `cluster-${i}`),
        err,
    );
    jest.advanceTimersByTime(130);
    progress.stop();
    for (const line of err.text.split("\r\u001b[K")) expect([...line].length).toBeLessThan(40);
});
