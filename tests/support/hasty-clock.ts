import { type Clock, systemClock } from "../../provider/kube/http/clock";

/** Sleeps a fiftieth of what it is told: retries and Retry-After are waited for, but not by us. */
export const hasty: Clock = {
    ...systemClock,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 50, signal),
};
