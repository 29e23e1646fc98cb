import { type Line, OrderedLines } from "../../../provider/hosts/shared/ordered-lines";

/** An engine that answers when told to. */
function slowEngine() {
    const heard: string[] = [];
    const answers: (() => void)[] = [];
    const lines = new OrderedLines(({ message }: Line, done) => {
        heard.push(message);
        answers.push(done);
    });
    return { heard, lines, answer: () => answers.shift()?.() };
}

const progress = (message: string, urn = "hub"): Line => ({ kind: "progress", message, urn });
const warning = (message: string): Line => ({ kind: "warning", message, urn: "hub" });

test("a line is sent only when the engine has taken the one before", () => {
    const { heard, lines, answer } = slowEngine();
    lines.add(warning("a"));
    lines.add(warning("b"));
    expect(heard).toEqual(["a"]);
    answer();
    expect(heard).toEqual(["a", "b"]);
});

test("of a resource's progress that waits only the newest is told, and no warning is ever left out", () => {
    const { heard, lines, answer } = slowEngine();
    lines.add(progress("1/6"));
    lines.add(progress("2/6"));
    lines.add(progress("3/6"));
    lines.add(warning("refused"));
    lines.add(warning("refused too"));
    lines.add(progress("6/6"));
    lines.add(progress("9/9", "berlin"));
    for (let i = 0; i < 10; i++) answer();
    expect(heard).toEqual(["1/6", "refused", "refused too", "6/6", "9/9"]);
});

test("who waits for the delivery goes on when the last line is taken, at once when there is none", async () => {
    const { lines, answer } = slowEngine();
    await lines.delivered();
    lines.add(progress("1/2"));
    lines.add(progress("2/2"));
    let isOver = false;
    const over = lines.delivered().then(() => {
        isOver = true;
    });
    answer();
    await Promise.resolve();
    expect(isOver).toBe(false);
    lines.add(warning("of somebody else, later"));
    answer();
    await over;
});
