/** A small protocol for tests: echoes, waits that the test ends, and calls back. */
import { z } from "zod";
import {
  clientOf,
  createMemoryPair,
  createPeer,
  createRouter,
  type FaultLog,
  type Handlers,
  jsonRpc2,
  method,
  notification,
  type Peer,
  type PeerOptions,
  protocol,
  type RpcDialect,
  RpcError,
  type Schedule,
  type Transport,
} from "../../../src/rpc/index.ts";
import { RawWire } from "./raw-wire.ts";

const Named = z.object({ name: z.string() });

export const sample = protocol({
  name: "sample",
  summary: "For tests.",
  toServer: {
    echo: method("echo", {
      summary: "Echo",
      params: z.object({ text: z.string() }),
      result: z.object({ text: z.string() }),
    }),
    version: method("version", { summary: "Version", result: z.object({ version: z.int() }) }),
    hold: method("hold", { summary: "Wait for the test", params: Named, result: Named }),
    stop: method("stop", { summary: "A control call", params: Named, result: Named }),
    fail: method("fail", {
      summary: "Throw",
      params: z.object({
        how: z.enum(["rpc", "other", "badResult", "cycle", "nothing", "whenTold"]),
      }),
      result: z.unknown(),
    }),
    askBack: method("askBack", { summary: "Ask the asker", params: Named, result: Named }),
    flood: method("flood", {
      summary: "Send notifications",
      params: z.object({ count: z.int() }),
      result: z.object({ sent: z.int() }),
    }),
    tryOut: method("tryOut", { summary: "Unfinished", result: z.null(), experimental: true }),
    ready: notification("ready", { summary: "Change to the concurrent order" }),
    note: notification("note", { summary: "Keep a text", params: z.object({ text: z.string() }) }),
  },
  toClient: {
    confirm: method("confirm", { summary: "Confirm", params: Named, result: Named }),
    progress: notification("progress", {
      summary: "Progress",
      params: z.object({ step: z.int(), note: z.string().nullable().default(null) }),
    }),
  },
});

/** What a test sees of the server. */
export class SampleServer {
  readonly started: string[] = [];
  readonly finished: string[] = [];
  readonly aborted: string[] = [];
  readonly notes: string[] = [];
  readonly faults: unknown[] = [];
  sent = 0;
  afterReady: Schedule | undefined;
  readonly #holds = new Map<string, PromiseWithResolvers<void>>();
  readonly #starts = new Map<string, PromiseWithResolvers<void>>();

  readonly log: FaultLog = (fault) => this.faults.push(fault);

  /** Lets the held call `name` finish, now or when it comes. */
  release(name: string): void {
    gate(this.#holds, name).resolve();
  }

  /** Settles when the call `name` has begun. */
  begun(name: string): Promise<void> {
    return gate(this.#starts, name).promise;
  }

  async hold(name: string, signal: AbortSignal): Promise<void> {
    this.started.push(name);
    gate(this.#starts, name).resolve();
    signal.addEventListener("abort", () => {
      this.aborted.push(name);
      this.release(name);
    });
    await gate(this.#holds, name).promise;
    this.finished.push(name);
  }
}

function gate(gates: Map<string, PromiseWithResolvers<void>>, name: string) {
  const found = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, found);
  return found;
}

interface Context {
  readonly peer: Peer;
  readonly server: SampleServer;
}

const handlers: Handlers<typeof sample.toServer, Context> = {
  echo: ({ text }) => ({ text }),
  version: () => ({ version: 1 }),
  hold: async ({ name }, { server }, { signal }) => {
    await server.hold(name, signal);
    return { name };
  },
  stop: ({ name }, { server }) => {
    server.release(name);
    return { name };
  },
  fail: async ({ how }, { server }, { signal }) => {
    if (how === "whenTold") await server.hold(how, signal);
    signal.throwIfAborted();
    if (how === "rpc") throw new RpcError("conflict", "taken", { data: { by: "you" } });
    if (how === "other") throw new Error("secret text");
    if (how === "nothing") return undefined;
    if (how === "badResult") return { big: 10n };
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    return cycle;
  },
  askBack: async ({ name }, { peer, server }) => {
    server.started.push(name);
    return clientOf(sample.toClient, peer).confirm({ name });
  },
  flood: async ({ count }, { peer, server }) => {
    for (let step = 0; step < count; step += 1) {
      await peer.notify(sample.toClient.progress, { step });
      server.sent += 1;
    }
    return { sent: count };
  },
  tryOut: () => null,
  ready: (_, { peer, server }) => {
    if (server.afterReady) peer.useSchedule(server.afterReady);
  },
  note: ({ text }, { server }) => {
    server.notes.push(text);
  },
};

export interface Served {
  readonly server: SampleServer;
  readonly peer: Peer;
}

export interface ServeOptions extends Partial<Pick<PeerOptions<Context>, "schedule" | "limits">> {
  readonly dialect?: RpcDialect;
  readonly gated?: boolean;
}

/** Puts the sample server on a transport. */
export function serveSample(transport: Transport, options: ServeOptions = {}): Served {
  const { dialect = jsonRpc2, gated = false, ...rest } = options;
  const server = new SampleServer();
  const router = createRouter<typeof sample.toServer, Context>({
    methods: sample.toServer,
    handlers,
    admit: ({ declaration: { name, experimental } }) => {
      if (gated && experimental) throw new RpcError("invalidRequest", `${name} is experimental`);
    },
  });
  const serve = { router, context: (peer: Peer) => ({ peer, server }) };
  const peer = createPeer({ transport, dialect, serve, log: server.log, ...rest });
  return { server, peer };
}

/** A sample server in memory, and the raw end of its wire. */
export function rawSample(options: ServeOptions = {}): Served & { readonly wire: RawWire } {
  const [near, far] = createMemoryPair();
  return { ...serveSample(far, options), wire: new RawWire(near) };
}
