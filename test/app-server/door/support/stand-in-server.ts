/** A server with a few methods in the dialect of the app-server, for tests of the door alone. */
import { z } from "zod";
import { APP_LIMITS, appDialect } from "../../../../src/app-server/app-dialect.ts";
import {
  createPeer,
  createRouter,
  type Handlers,
  method,
  notification,
  type Peer,
  type PeerLimits,
  type Schedule,
  type Transport,
} from "../../../../src/rpc/index.ts";

const Text = z.object({ text: z.string() });

export const standIn = {
  toServer: {
    echo: method("echo", { summary: "Echo", params: Text, result: Text }),
    version: method("version", { summary: "Version", result: z.object({ version: z.int() }) }),
    hold: method("hold", { summary: "Wait for the test", params: Text, result: Text }),
    stop: method("stop", { summary: "A control call", params: Text, result: Text }),
    ask: method("ask", { summary: "Ask the client", params: Text, result: Text }),
    note: notification("note", { summary: "Keep a text", params: Text }),
  },
  toClient: {
    approve: method("approve", { summary: "Approve", params: Text, result: Text }),
    told: notification("told", { summary: "Tell", params: Text }),
  },
};

/** The order a server with something urgent works in: `stop` overtakes what waits. */
export const WITH_CONTROL: Schedule = {
  kind: "concurrent",
  limit: 16,
  control: { methods: new Set(["stop"]), limit: 4 },
};

interface StandInOptions {
  readonly schedule?: Schedule | undefined;
  readonly limits?: Partial<PeerLimits>;
}

/** What the command serves, with a look at what came. */
export class StandInServer {
  readonly peers: Peer[] = [];
  readonly notes: string[] = [];
  readonly faults: unknown[] = [];
  closed = 0;
  readonly #holds = new Map<string, PromiseWithResolvers<void>>();
  readonly #options: StandInOptions;

  constructor(options: StandInOptions = {}) {
    this.#options = options;
  }

  /** Lets the held call finish, now or when it comes. */
  release(text: string): void {
    this.#hold(text).resolve();
  }

  accept(transport: Transport): Peer {
    const { schedule, limits } = this.#options;
    const peer = createPeer<Peer>({
      transport,
      dialect: appDialect,
      limits: { ...APP_LIMITS, ...limits },
      ...(schedule && { schedule }),
      serve: {
        router: createRouter({ methods: standIn.toServer, handlers: this.#handlers() }),
        context: (own) => own,
      },
      log: (fault) => this.faults.push(fault),
    });
    this.peers.push(peer);
    return peer;
  }

  async close(): Promise<void> {
    this.closed += 1;
    for (const peer of this.peers) peer.close();
  }

  #handlers(): Handlers<typeof standIn.toServer, Peer> {
    return {
      echo: ({ text }) => ({ text }),
      version: () => ({ version: 1 }),
      hold: async ({ text }) => {
        await this.#hold(text).promise;
        return { text };
      },
      stop: ({ text }) => {
        this.release(text);
        return { text };
      },
      ask: ({ text }, peer) => peer.call(standIn.toClient.approve, { text }),
      note: ({ text }, peer) => {
        this.notes.push(text);
        return peer.notify(standIn.toClient.told, { text });
      },
    };
  }

  #hold(text: string): PromiseWithResolvers<void> {
    const found = this.#holds.get(text) ?? Promise.withResolvers<void>();
    this.#holds.set(text, found);
    return found;
  }
}
