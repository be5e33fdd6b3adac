/**
 * Starts the real `writ exec-server`, over a socket or over its own streams, as either user.
 *
 * A place of its own for each test, outside /tmp; all of it is ended with the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type Place, placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { WireClient, type WireLink } from "./wire-client.ts";

/** The two ways in. */
export const WAYS = ["ws", "stdio"] as const;

export interface LabOptions {
  readonly over?: (typeof WAYS)[number];
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
  readonly server: ChildProcess;
  /** Where the server listens; empty over stdio. */
  readonly url: string;
  /** What the server wrote to standard error. */
  readonly errors: () => string;
  /** A connection that has not said anything. Over stdio there is one. */
  connect(): Promise<WireClient>;
  /** A connection after its handshake. */
  open(resume?: string): Promise<WireClient>;
}

/** Starts a server; over ws as the first user there is, unless something else is asked for. */
export async function startLab(options: LabOptions = {}): Promise<ExecLab> {
  const { over = "ws", user = USERS[0] ?? "ordinary", flags = [], env = {} } = options;
  const place = options.place ?? placeFor(user);
  const listen = over === "ws" ? "ws://127.0.0.1:0" : "stdio";
  const [program = "", ...args] = place.argv(["exec-server", "--listen", listen, ...flags]);
  const server = spawn(program, args, { cwd: place.workspace, env: { ...place.env, ...env } });
  onTestFinished(() => endServer(server));
  const errors: string[] = [];
  server.stderr.on("data", (chunk) => errors.push(String(chunk)));
  const url = over === "ws" ? await addressOf(server, errors) : "";
  const connect = async () =>
    new WireClient(over === "ws" ? await socketLink(url) : streamLink(server));
  const open = async (resume?: string) => {
    const client = await connect();
    await client.open(resume ?? null);
    return client;
  };
  return { place, server, url, errors: () => errors.join(""), connect, open };
}

/** A path as the wire names it. */
export function uri(path: string): string {
  return pathToFileURL(path).href;
}

async function addressOf(server: ChildProcess, errors: readonly string[]): Promise<string> {
  if (server.stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface({ input: server.stdout })) return line;
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
  let tell = (text: string) => void held.push(text);
  socket.on("message", (bytes) => tell(String(bytes)));
  await once(socket, "open");
  socket.on("error", () => {});
  return {
    socket,
    send: (text) => socket.send(text),
    listen: (message) => {
      tell = (text) => message(text);
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
