import { crash } from "../../support/crash-server";
import type { RealMember, RealWorld } from "../../support/engine/real-world";

/** What happens to the servers of a world at a write, and what is done so that the next run can go on. */
export interface ServerFault {
    readonly name: string;
    /** Seconds per request of the run that is hit; default: what the program says. */
    readonly timeout?: number;
    /** At the write, which `member` has not seen yet, or has done without anybody having heard. */
    begin(world: RealWorld, member: RealMember): Promise<void>;
    /** After the run. */
    end(world: RealWorld, member: RealMember): Promise<void>;
}

export const KILLED: ServerFault = {
    name: "an API server is killed and starts again",
    begin: (_, { cluster }) => crash(cluster),
    end: async () => undefined,
};

/** What it was asked meanwhile is done when it wakes up: late, and for nobody. */
export const FROZEN: ServerFault = {
    name: "an API server is frozen for longer than the deadline",
    timeout: 1,
    begin: async (_, { cluster }) => cluster.suspend(),
    end: async (_, { cluster }) => cluster.resume(),
};

export const WITHOUT_DATABASE: ServerFault = {
    name: "etcd is killed and starts again",
    timeout: 3,
    begin: ({ database }) => crash(database),
    end: async ({ clusters }) => {
        for (const member of clusters) await answering(member);
    },
};

/** An API server takes a while to find its database again. */
async function answering(member: RealMember): Promise<void> {
    for (let round = 0; round < 600; round++) {
        try {
            await member.peers();
            await member.cluster.request("GET", "/readyz");
            return;
        } catch {
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }
    throw new Error(`${member.name} does not answer any more`);
}
