/**
 * Starts the real `writ app-server`, over a socket or over its own streams, as either user.
 *
 * A place of its own for each lab, outside /tmp; all of it is ended with the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type Place, placeFor, type SandboxUser } from "../../support/sandbox-user.ts";
import { AppClient } from "./app-client.ts";

/** The two ways in. */
export const WAYS = ["stdio", "ws"] as const;
export type Way = (typeof WAYS)[number];

export interface LabOptions {
  readonly over?: Way;
  readonly user?: SandboxUser;
  /** Somewhere that another lab is too; its own when absent. */
  readonly place?: Place;
  /** Further flags of `writ app-server`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user's `config.toml`. */
  readonly config?: string;
  /** What a socket asks for, and what connections of the lab say; without it commands get no network. */
  readonly token?: string;
  /** When the lab ends; with the test when absent. */
  readonly finished?: (end: () => void) => void;
}

export class AppLab {
  readonly place: Place;
  readonly over: Way;
  errors = "";
  #server: ChildProcess | undefined;
  #url = "";
  readonly #options: LabOptions;
  readonly #finished: (end: () => void) => void;

  constructor(options: LabOptions = {}) {
    this.#options = options;
    this.#finished = options.finished ?? onTestFinished;
    this.over = options.over ?? "ws";
    this.place = options.place ?? placeFor(options.user ?? "root", this.#finished);
    if (options.config !== undefined) this.configure(options.config);
  }

  /** Where writ keeps its things. */
  get home(): string {
    return this.place.env.WRIT_HOME ?? "";
  }

  get server(): ChildProcess {
    if (this.#server === undefined) throw new Error("There is no server yet");
    return this.#server;
  }

  get url(): string {
    return this.#url;
  }

  /** Whether there is a server: one that was ended by a test is none. */
  get isRunning(): boolean {
    const server = this.#server;
    return server !== undefined && server.exitCode === null && server.signalCode === null;
  }

  /** Replaces the user's settings. */
  configure(toml: string): void {
    mkdirSync(this.home, { recursive: true });
    writeFileSync(path.join(this.home, "config.toml"), toml);
  }

  /** A connection that has not said anything. Over stdio the server is the connection's own. */
  async connect(): Promise<AppClient> {
    if (this.over === "stdio") return this.#connectStdio();
    if (!this.isRunning) await this.#listen();
    return connectTo(this.#url, this.#finished, this.#options.token);
  }

  /** A connection that has introduced itself. */
  async client(capabilities: object | null = { experimentalApi: true }): Promise<AppClient> {
    const client = await this.connect();
    await client.initialize(capabilities);
    return client;
  }

  /** Ends the server and waits for it; the next connection starts another one. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | string | null> {
    const [server, isRunning] = [this.#server, this.isRunning];
    this.#server = undefined;
    if (server === undefined || !isRunning) return server?.exitCode ?? null;
    const exit = once(server, "exit");
    server.kill(signal);
    const [status, by] = await exit;
    return status ?? by;
  }

  #spawn(args: readonly string[]): ChildProcess {
    this.place.give();
    const [program = "", ...rest] = this.place.argv(["app-server", ...args]);
    const server = spawn(program, rest, {
      cwd: this.place.workspace,
      env: { ...this.place.env, ...this.#options.env },
      stdio: "pipe",
    });
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    server.stdin?.on("error", () => {});
    this.#finished(() => void server.kill("SIGKILL"));
    this.#server = server;
    return server;
  }

  async #listen(): Promise<void> {
    const before = this.errors.length;
    const { flags = [], token } = this.#options;
    const auth = token === undefined ? [] : authFlags(token);
    const server = this.#spawn(["--listen", "ws://127.0.0.1:0", ...auth, ...flags]);
    const url = () => /listening on: (\S+)/.exec(this.errors.slice(before))?.[1];
    while (url() === undefined && server.exitCode === null) {
      await Promise.race([once(server.stderr ?? server, "data"), once(server, "exit")]);
    }
    const found = url();
    if (found === undefined) throw new Error(`The server ended: ${this.errors}`);
    this.#url = found;
  }

  #connectStdio(): AppClient {
    const server = this.#spawn(this.#options.flags ?? []);
    const client = new AppClient({
      send: (text) => void server.stdin?.write(`${text}\n`),
      close: () => void server.stdin?.end(),
    });
    if (server.stdout === null) throw new Error("The server has no output");
    createInterface({ input: server.stdout })
      .on("line", (line) => client.hear(line))
      .on("close", () => client.ended());
    return client;
  }
}

function authFlags(token: string): string[] {
  const digest = createHash("sha256").update(token).digest("hex");
  return ["--ws-auth", "capability-token", "--ws-token-sha256", digest];
}

/** A WebSocket to a server, as a client. */
export async function connectTo(
  url: string,
  finished: (end: () => void) => void = onTestFinished,
  token?: string,
): Promise<AppClient> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers });
  const client = new AppClient({
    send: (text) => socket.send(text),
    close: () => socket.close(),
  });
  socket.on("message", (bytes) => client.hear(String(bytes)));
  socket.on("close", () => client.ended());
  socket.on("error", () => {});
  finished(() => socket.terminate());
  await once(socket, "open");
  return client;
}
