import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";

/** Stands between a client and a server, and breaks each connection after a number of bytes to the client. */
export class CuttingProxy {
  readonly #target: URL;
  readonly #server = net.createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<net.Socket>();
  /** After how many bytes the next connections break, in turn; those beyond are left alone. */
  cuts: number[] = [];
  /** How many were broken. */
  broken = 0;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  /** A proxy on the loopback that is closed with the test. */
  static async before(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    onTestFinished(async () => {
      for (const socket of proxy.#sockets) socket.destroy();
      proxy.#server.close();
    });
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return `ws://127.0.0.1:${address.port}`;
  }

  #join(client: net.Socket): void {
    const server = net.connect(Number(this.#target.port), this.#target.hostname);
    let left = this.cuts.shift() ?? Number.POSITIVE_INFINITY;
    const end = () => {
      client.resetAndDestroy();
      server.resetAndDestroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.pipe(server);
    server.on("data", (bytes: Buffer) => {
      if (left < 0) return;
      left -= bytes.length;
      if (left >= 0) {
        if (!client.write(bytes)) server.pause();
        return;
      }
      this.broken += 1;
      client.write(bytes.subarray(0, bytes.length + left), end);
    });
    client.on("drain", () => server.resume());
  }
}
