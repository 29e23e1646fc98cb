import { howLong } from "../../../provider/values/how-long";

const NOW = new Date("2026-03-10T12:00:00Z");

test.each<[string | undefined, string]>([
    ["2026-03-08T12:00:00Z", "for 2 days"],
    ["2026-03-09T12:00:00Z", "for 1 day"],
    ["2026-03-09T12:00:01Z", "for 23 hours"],
    ["2026-03-10T11:00:00Z", "for 1 hour"],
    ["2026-03-10T11:00:01Z", "for 59 minutes"],
    ["2026-03-10T11:59:00Z", "for 1 minute"],
    ["2026-03-10T11:59:01Z", "since just now"],
    [undefined, "since just now"],
    ["2026-03-11T12:00:00Z", "since just now"],
    ["not a time", "since just now"],
])("since %s it is %s, in the largest unit that fits", (since, expected) => {
    expect(howLong(since, NOW)).toBe(expected);
});
