/**
 * Puts a sandbox between a client and a server that knows nothing of it.
 *
 * Every decision is the core's. Here processes are started and ended, texts are
 * handed on, and whoever reads slowly slows down whoever writes.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ExecError, type RunningProcess } from "../../exec/index.ts";
import type { Transport } from "../../rpc/index.ts";
import { endProcess } from "../process/end-process.ts";
import { createProcessTransport } from "../process/process-transport.ts";
import { ConfineCore } from "./confine-core.ts";
import { type ConfineOptions, rulesOf } from "./confine-options.ts";
import type { Action } from "./confine-rules.ts";
import { LastWords } from "./last-words.ts";
import { MOST_LINE } from "./lines/read-line.ts";

/** A server at work for one client. */
export interface ConfinedServer {
  /** Settles when the client has left, and the server is over with all it started. */
  readonly over: Promise<void>;
  /** Ends both. */
  close(): Promise<void>;
  /** The same, without the time in which a server may end by itself. */
  kill(): Promise<void>;
}

/** Serves one client until it leaves. Nothing runs before its first request. */
export function serveConfined(client: Transport, options: ConfineOptions): ConfinedServer {
  const confinement = new Confinement(client, options);
  confinement.open();
  return confinement;
}

interface Living {
  readonly generation: number;
  readonly running: RunningProcess;
  readonly transport: Transport;
  ended?: Promise<void>;
}

type Start = Extract<Action, { kind: "start" }>;

/** What may be under way in one direction, in characters, before the other side has to wait. */
const MOST_UNDER_WAY = 1 << 22;
/** What a message that is under way takes besides its text, in characters. */
const AROUND_A_MESSAGE = 1 << 10;
/** How long a client that has closed its end is given the answers it still waits for. */
const LAST_ANSWERS_MS = 5_000;
const PATIENCE_MS = 30_000;

class Confinement implements ConfinedServer {
  readonly over: Promise<void>;
  readonly #client: Transport;
  readonly #options: ConfineOptions;
  readonly #core: ConfineCore;
  readonly #name = randomUUID();
  readonly #isOver = Promise.withResolvers<void>();
  readonly #quiet = new AbortController();
  readonly #hurry = new AbortController();
  #living: Living | undefined;
  #starting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasLeft = false;
  #toClient = 0;
  #toServer = 0;
  #waiting = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(client: Transport, options: ConfineOptions) {
    this.#client = client;
    this.#options = options;
    this.#core = new ConfineCore(rulesOf(options));
    this.over = this.#isOver.promise;
  }

  open(): void {
    this.#client.open({
      message: (line) => this.#perform(this.#core.client(line)),
      closed: ({ halfOpen }) => void (halfOpen ? this.#closeWhenQuiet() : this.close()),
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  kill(): Promise<void> {
    this.#hurry.abort();
    return this.close();
  }

  async #close(): Promise<void> {
    this.#quiet.abort();
    clearTimeout(this.#patience);
    await this.#starting;
    if (this.#living !== undefined) await this.#endOf(this.#living);
    this.#client.close();
    this.#isOver.resolve();
  }

  /** The client sends nothing more, but may read on. */
  async #closeWhenQuiet(): Promise<void> {
    this.#hasLeft = true;
    const { signal } = this.#quiet;
    if (!this.#core.isQuiet) await sleep(LAST_ANSWERS_MS, undefined, { signal }).catch(() => {});
    await this.close();
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) this.#act(action);
    this.#regulate();
    if (this.#hasLeft && this.#core.isQuiet) this.#quiet.abort();
  }

  #act(action: Action): void {
    switch (action.kind) {
      case "toClient":
        this.#tellClient(action.text);
        break;
      case "toServer":
        this.#tellServer(action.text);
        break;
      case "noise":
        this.#options.stderr(Buffer.from(`${action.text}\n`));
        break;
      case "start":
        this.#starting = this.#start(action);
        break;
      case "end":
        void this.#end(action.generation);
    }
  }

  #tellClient(text: string): void {
    const room = text.length + AROUND_A_MESSAGE;
    this.#toClient += room;
    const done = () => {
      this.#toClient -= room;
      this.#regulate();
    };
    this.#client.send(text).then(done, done);
  }

  #tellServer(text: string): void {
    if (this.#living === undefined) return;
    const room = text.length + AROUND_A_MESSAGE;
    this.#toServer += room;
    const done = () => {
      this.#toServer -= room;
      this.#regulate();
    };
    this.#living.transport.send(text).then(done, done);
  }

  #regulate(): void {
    const { transport } = this.#living ?? {};
    if (this.#toClient > MOST_UNDER_WAY) transport?.pause();
    else transport?.resume();
    this.#watch(this.#toServer + this.#core.waiting);
    if (this.#waiting > MOST_UNDER_WAY) this.#client.pause();
    else this.#client.resume();
  }

  /** A client that is not read can neither cancel nor be seen to leave: a server that takes nothing is given up. */
  #watch(waiting: number): void {
    const hasTaken = waiting < this.#waiting;
    this.#waiting = waiting;
    if (hasTaken || waiting <= MOST_UNDER_WAY) {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    }
    if (waiting <= MOST_UNDER_WAY || this.#closing !== undefined) return;
    const { patienceMs = PATIENCE_MS } = this.#options;
    this.#patience ??= setTimeout(() => this.#giveUp(patienceMs), patienceMs);
  }

  #giveUp(patienceMs: number): void {
    this.#patience = undefined;
    const reason = `it has taken nothing of what it was sent for ${patienceMs} ms`;
    this.#perform(this.#living ? this.#core.lost(this.#living.generation, reason) : []);
  }

  async #start(start: Start): Promise<void> {
    if (this.#closing !== undefined) return;
    const { generation } = start;
    try {
      this.#follow(generation, await this.#launch(start));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const receiptId = error instanceof ExecError ? (error.receiptId ?? null) : null;
      this.#perform(this.#core.notStarted(generation, message, receiptId));
    }
  }

  #launch({ generation, intent, ids }: Start): Promise<RunningProcess> {
    const { executor, argv, cwd, env, envPolicy } = this.#options;
    return executor.start({
      processId: `mcp-${this.#name}-${generation}`,
      argv,
      arg0: null,
      cwd,
      envPolicy,
      env,
      terminal: null,
      pipeStdin: true,
      sandbox: intent,
      anchor: null,
      ids,
    });
  }

  #follow(generation: number, running: RunningProcess): void {
    const words = new LastWords();
    const transport = createProcessTransport(running, {
      stderr: (chunk) => {
        words.add(chunk);
        this.#options.stderr(chunk);
      },
      maxLineBytes: MOST_LINE,
    });
    this.#living = { generation, running, transport };
    transport.open({
      message: (line) => this.#perform(this.#core.server(generation, line)),
      closed: ({ reason }) => this.#perform(this.#core.lost(generation, reason, words.text)),
    });
    const { receiptId } = running;
    if (this.#closing === undefined) this.#perform(this.#core.started(generation, receiptId));
  }

  async #end(generation: number): Promise<void> {
    if (this.#living?.generation !== generation) return;
    await this.#endOf(this.#living);
    this.#living = undefined;
    this.#perform(this.#core.gone(generation));
  }

  #endOf(living: Living): Promise<void> {
    const { running, transport } = living;
    const { graceMs } = this.#options;
    living.ended ??= endProcess(running, transport, { graceMs, hurry: this.#hurry.signal });
    return living.ended;
  }
}
