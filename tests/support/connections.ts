import { type AddressInfo, connect, type Server, type Socket } from "node:net";

/** Who is connected to a server, and when nobody is any more. */
export class Connections {
    readonly #sockets = new Set<Socket>();
    /** Connections that were ever made. */
    made = 0;

    constructor(private readonly server: Server) {
        server.on("connection", (socket: Socket) => {
            this.made++;
            this.#sockets.add(socket.once("close", () => this.#sockets.delete(socket)));
        });
    }

    cut(): void {
        for (const socket of this.#sockets) socket.destroy();
    }

    /** Resolves when nobody is connected: what processes that have ended had sent has then been read. */
    async gone(): Promise<void> {
        await this.#acceptAll();
        for (const socket of this.#sockets) {
            if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
        }
    }

    /** Connections are accepted in the order in which they were made: when ours is, those made before it are too. */
    async #acceptAll(): Promise<void> {
        const { port, address } = this.server.address() as AddressInfo;
        const last = connect(port, address);
        await new Promise<void>((resolve, reject) => {
            const accepted = ({ remotePort }: Socket): void => {
                if (remotePort !== last.localPort) return;
                this.server.off("connection", accepted);
                resolve();
            };
            this.server.on("connection", accepted);
            last.once("error", reject);
        });
        last.destroy();
    }
}
