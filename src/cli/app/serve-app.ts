/**
 * Opens the door of an app-server as the flags say, and serves until it is told to stop.
 *
 * Standard output carries the protocol on stdio and is silent otherwise; what is
 * for people goes to standard error.
 */
import type { Readable, Writable } from "node:stream";
import { APP_MESSAGE_BYTES, ThreadStoreError } from "../../app-server/index.ts";
import { loadBearerAuth, StartupError } from "../../exec/index.ts";
import { createLineTransport, type Peer, type Transport, TransportError } from "../../rpc/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import { type CliWorld, type CommandInput, type FlagValues, UsageError } from "../command.ts";
import { sayWaiting } from "../help/say-waiting.ts";
import { type AppDoor, readDoor } from "./app-door.ts";
import type { AppListener, ListenAppOptions } from "./listen-app.ts";

/** A server, as the door sees it. */
export interface ServedApp {
  accept(transport: Transport): Peer;
  /** Waits for what runs. */
  close(): Promise<void>;
}

/** What serving touches beside the world; tests hand in their own. */
export interface AppEdges {
  /** Puts the server together; called once the flags are known to be good. */
  readonly open: (world: CliWorld, flags: FlagValues, door: AppDoor) => Promise<ServedApp>;
  readonly stdio: { readonly input: Readable; readonly output: Writable };
  /** Begins to listen for, and settles when, somebody wants the server to end. */
  readonly stopped: () => Promise<void>;
}

/** Serves until the end of the input or a signal; the answer is the exit status. */
export async function serveApp(
  { flags, positionals }: Pick<CommandInput, "flags" | "positionals">,
  world: CliWorld,
  edges: AppEdges,
): Promise<number> {
  if (positionals.length > 0) {
    throw new UsageError(`Cannot use "${positionals[0]}": expected options only`);
  }
  try {
    const door = readDoor(flags, world);
    const auth = loadBearerAuth(door.auth);
    const stopped = edges.stopped();
    const server = await edges.open(world, flags, door);
    await serve(server, { address: door.address, auth, world, stdio: edges.stdio, stopped });
    return 0;
  } catch (error) {
    return told(error, world);
  }
}

/** A flag that cannot be read is the caller's mistake; what it leads to may be wrong in other ways. */
function told(error: unknown, world: CliWorld): number {
  if (error instanceof StartupError && error.code !== "unusableFile") {
    throw new UsageError(error.message, { cause: error });
  }
  if (!isRefusal(error)) throw error;
  world.err(`writ: ${visibleLine(error.message)}\n`);
  return 1;
}

/** What is wrong with the place, and not with what was asked for. */
function isRefusal(error: unknown): error is Error {
  return [StartupError, TransportError, ThreadStoreError].some((kind) => error instanceof kind);
}

interface Serving extends Pick<AppDoor, "address">, Pick<AppEdges, "stdio"> {
  readonly auth: ListenAppOptions["auth"];
  readonly world: CliWorld;
  readonly stopped: Promise<void>;
}

async function serve(server: ServedApp, serving: Serving): Promise<void> {
  const way = await openWay(server, serving).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  await Promise.race([serving.stopped, way.over]);
  way.drain();
  // Who is connected sees how what runs comes to its end.
  await server.close();
  await way.close();
}

interface Way extends AppListener {
  /** Settles when nobody can come any more. */
  readonly over: Promise<void>;
}

const NEVER = new Promise<void>(() => {});

async function openWay(server: ServedApp, serving: Serving): Promise<Way> {
  const { address, auth, world, stdio } = serving;
  if (address.kind === "stdio") {
    sayWaiting("the protocol of Codex's app-server", world);
    return openStdio(server, stdio);
  }
  if (address.kind === "off") {
    world.err("writ app-server (off)\n");
    return { over: NEVER, drain() {}, close: async () => {} };
  }
  const { listenApp } = await import("./listen-app.ts");
  const accept = (transport: Transport) => server.accept(transport);
  return { over: NEVER, ...(await listenApp({ address, auth, accept, world })) };
}

function openStdio(server: ServedApp, stdio: AppEdges["stdio"]): Way {
  const peer = server.accept(createLineTransport({ ...stdio, maxLineBytes: APP_MESSAGE_BYTES }));
  const close = async () => {
    peer.close();
    await peer.settled;
  };
  return { over: peer.settled, drain() {}, close };
}
