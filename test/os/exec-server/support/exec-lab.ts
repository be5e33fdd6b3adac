/**
 * Starts the real `writ exec-server`, over a socket or over its own streams, as either user.
 *
 * A place of its own for each test, outside /tmp; all of it is ended with the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type Place, placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { keepOpen } from "./keep-open.ts";
import { WireClient, type WireLink } from "./wire-client.ts";

/** The two ways in. */
export const WAYS = ["ws", "stdio"] as const;

export interface LabOptions {
  readonly over?: (typeof WAYS)[number];
  /** Where to listen instead of a port of its own. */
  readonly listen?: string;
  readonly user?: SandboxUser;
  /** Further flags of `writ exec-server`. */
  readonly flags?: readonly string[];
  /** Further variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where to lay out the test; a new place otherwise. */
  readonly place?: Place;
}

export interface ExecLab {
  readonly place: Place;
  /** The server; over stdio, that of the last connection. */
  readonly server: ChildProcess;
  /** Where the server listens; empty over stdio. */
  readonly url: string;
  /** What the server wrote to standard error. */
  readonly errors: () => string;
  /** A connection that has not said anything. Over stdio each has a server of its own. */
  connect(): Promise<WireClient>;
  /** A connection after its handshake. */
  open(resume?: string): Promise<WireClient>;
  /**
   * The same for a test that does nothing to the connection itself. Over stdio it is one for all of them, since each
   * has a server of its own, and another once that one is over or a test that had it failed.
   */
  client(): Promise<WireClient>;
}

/** Who is told what to do at the end. */
type Finished = (end: () => void | Promise<void>) => void;

/** Starts a server for one test; over ws as the first user there is, unless something else is asked for. */
export function startLab(options: LabOptions = {}): Promise<ExecLab> {
  return createLab(options, onTestFinished);
}

/** One server for all tests of a file or a `describe`, where they cannot disturb each other. */
export function sharedLab(options: LabOptions = {}): () => ExecLab {
  const ends: (() => void | Promise<void>)[] = [];
  let lab: ExecLab | undefined;
  beforeAll(async () => {
    lab = await createLab(options, (end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => {
    if (lab === undefined) throw new Error("the server is there from the first test on");
    return lab;
  };
}

async function createLab(options: LabOptions, finished: Finished): Promise<ExecLab> {
  const { over = "ws", user = USERS[0] ?? "ordinary" } = options;
  const place = options.place ?? placeFor(user, finished);
  const errors: string[] = [];
  let server = over === "ws" ? startServer(place, options, finished) : undefined;
  const url = server === undefined ? "" : await addressOf(hear(server, errors), errors);
  const connectStreams = (until: Finished) => {
    server = hear(startServer(place, options, until), errors);
    return new WireClient(streamLink(server));
  };
  const connect = async () =>
    over === "ws" ? new WireClient(await socketLink(url)) : connectStreams(onTestFinished);
  const greet = async (client: WireClient, resume?: string) => {
    await client.open(resume ?? null);
    return client;
  };
  const open = async (resume?: string) => greet(await connect(), resume);
  const kept = keepOpen(() => greet(connectStreams(finished)));
  return {
    place,
    get server() {
      if (server === undefined) throw new Error("nobody is connected yet");
      return server;
    },
    url,
    errors: () => errors.join(""),
    connect,
    open,
    client: () => (over === "ws" ? open() : kept()),
  };
}

function startServer(
  place: Place,
  { over = "ws", listen, flags = [], env = {} }: LabOptions,
  finished: Finished,
): ChildProcess {
  const address = listen ?? (over === "ws" ? "ws://127.0.0.1:0" : "stdio");
  const [program = "", ...args] = place.argv(["exec-server", "--listen", address, ...flags]);
  const server = spawn(program, args, { cwd: place.workspace, env: { ...place.env, ...env } });
  finished(() => endServer(server));
  return server;
}

function hear(server: ChildProcess, errors: string[]): ChildProcess {
  server.stderr?.on("data", (chunk) => errors.push(String(chunk)));
  return server;
}

/** A path as the wire names it. */
export function uri(path: string): string {
  return pathToFileURL(path).href;
}

async function addressOf(server: ChildProcess, errors: readonly string[]): Promise<string> {
  if (server.stdout === null) throw new Error("the server has no output");
  const over = once(server, "close");
  for await (const line of createInterface({ input: server.stdout })) return line;
  // What it complained of may come after the end of its output.
  await over;
  throw new Error(`the server did not start: ${errors.join("")}`);
}

/** Asked to stop first, so that it takes its sandboxes along. */
async function endServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  const grace = setTimeout(() => server.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(grace);
}

/** Connects; ended with the test. */
export async function socketLink(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WireLink & { readonly socket: WebSocket }> {
  const socket = new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const held: string[] = [];
  let tell: (text: string) => void = (text) => void held.push(text);
  socket.on("message", (bytes) => tell(String(bytes)));
  await once(socket, "open");
  socket.on("error", () => {});
  return {
    socket,
    send: (text) => socket.send(text),
    listen: (message) => {
      tell = message;
      for (const text of held.splice(0)) message(text);
    },
    cut: () => socket.terminate(),
    closed,
  };
}

function streamLink(server: ChildProcess): WireLink {
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error("the server has no streams");
  stdin.on("error", () => {});
  const lines = createInterface({ input: stdout });
  return {
    send: (text) => {
      stdin.write(text);
      stdin.write("\n");
    },
    listen: (message) => void lines.on("line", message),
    cut: () => void stdin.end(),
    closed: new Promise((resolve) => stdout.on("close", () => resolve())),
  };
}
