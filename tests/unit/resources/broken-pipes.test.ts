import { EventEmitter } from "node:events";
import { endOnBrokenPipes } from "../../../provider/hosts/shared/broken-pipes";

const failure = (code: string): Error => Object.assign(new Error(code), { code });

test("a host whose engine was killed ends instead of printing the failure to print without end", () => {
    const stream = new EventEmitter();
    const end = jest.fn();
    endOnBrokenPipes([stream], end);
    stream.emit("error", failure("EPIPE"));
    expect(end).toHaveBeenCalledTimes(1);
});

test("other failures of a stream do not end the host", () => {
    const stream = new EventEmitter();
    const end = jest.fn();
    endOnBrokenPipes([stream], end);
    stream.emit("error", failure("EAGAIN"));
    expect(end).not.toHaveBeenCalled();
});
