/** A client of the real `writ repl` over its standard streams. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../../../support/sandbox-user.ts";
import { commandOf, processesBelow } from "./processes-below.ts";

const POLL_MS = 20;
const MOST_POLLS = 1500;
/** What is said of input that came while the interpreter was starting. */
const NOT_TAKEN = "the worker is still starting, send it again";

export interface ReplItem {
  readonly type: "text" | "image" | "resource_link";
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
}

export interface Replied {
  readonly items: readonly ReplItem[];
  /** All texts, one after another. */
  readonly text: string;
  readonly images: readonly string[];
  readonly isError: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly language?: string;
  readonly meta?: object | undefined;
}

export interface ReplOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

type Message = Readonly<Record<string, unknown>>;

export class ReplClient {
  readonly place: Place;
  readonly child: ChildProcess;
  /** Settles with the exit status, or the signal that ended it. */
  readonly exit: Promise<number | string | null>;
  stderr = "";
  /** What came that answers nothing, in order. */
  readonly notices: Message[] = [];
  readonly #waiting = new Map<number, (answer: Message) => void>();
  #ids = 0;

  constructor(place: Place, { flags = [], env = {}, cwd = place.workspace }: ReplOptions = {}) {
    this.place = place;
    place.give();
    const [program = "", ...args] = place.argv(["repl", ...flags]);
    const all = { ...place.env, ...env };
    this.child = spawn(program, args, { cwd, env: all, stdio: "pipe" });
    this.exit = new Promise((resolve) => {
      this.child.on("close", (status, signal) => {
        resolve(status ?? signal);
        for (const answer of this.#waiting.values()) answer({ error: "the server is gone" });
      });
    });
    const { stdout, stderr, stdin } = this.child;
    if (stdout === null) throw new Error("the server has no output");
    createInterface({ input: stdout }).on("line", (line) => this.#heard(JSON.parse(line)));
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    stdin?.on("error", () => {});
  }

  /** The number that the next request has. */
  get nextId(): number {
    return this.#ids + 1;
  }

  notify(method: string, params: object = {}): void {
    this.#write({ method, params });
  }

  ask(method: string, params: object = {}): Promise<Message> {
    this.#ids += 1;
    const id = this.#ids;
    const answer = new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    this.#write({ id, method, params });
    return answer;
  }

  /** Opens the connection; the answer is what the server said of itself. */
  async greet(): Promise<Message> {
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const { result } = await this.ask("initialize", params);
    this.notify("notifications/initialized");
    return result as Message;
  }

  /** A call of the tool with any arguments; the answer as it came. */
  tool(args: object, meta?: object): Promise<Message> {
    const _meta = meta && { _meta: meta };
    return this.ask("tools/call", { name: "repl", arguments: args, ..._meta });
  }

  async call(input: string, options: CallOptions = {}): Promise<Replied> {
    const { timeoutMs, language, meta } = options;
    const args = {
      input,
      ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
      ...(language !== undefined && { language }),
    };
    const answer = await this.tool(args, meta);
    const { result } = answer;
    if (result === undefined) throw new Error(`Cannot go on: ${JSON.stringify(answer)}`);
    return repliedOf(result as Message);
  }

  /** Calls until the reply so far has `mark`; all that was replied since. */
  async until(mark: string, first: string, options: CallOptions = {}): Promise<string> {
    let { text } = await this.call(first, { timeoutMs: 100, ...options });
    let last = text;
    for (let polls = 0; !text.includes(mark); polls += 1) {
      if (polls === MOST_POLLS) throw new Error(`Cannot go on: no "${mark}" in ${text}`);
      await sleep(POLL_MS);
      const next = last.includes(NOT_TAKEN) ? first : "";
      last = (await this.call(next, { timeoutMs: 200, ...options })).text;
      text += last;
    }
    return text;
  }

  /** All that runs below the server. */
  processes(): number[] {
    return this.child.pid === undefined ? [] : processesBelow(this.child.pid);
  }

  /** Those of them that run an interpreter for us, or start one. */
  workers(): number[] {
    const folders = ["workers", "dist/workers"].map((one) => path.join(this.place.installed, one));
    return this.processes().filter((pid) => folders.some((one) => commandOf(pid).includes(one)));
  }

  /** Closes its input and waits until it is over. */
  async end(): Promise<number | string | null> {
    this.child.stdin?.end();
    return this.exit;
  }

  #write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #heard(message: Message): void {
    const answer = this.#waiting.get(Number(message.id));
    if (answer === undefined) this.notices.push(message);
    this.#waiting.delete(Number(message.id));
    answer?.(message);
  }
}

function repliedOf(result: Message): Replied {
  const items = result.content as ReplItem[];
  return {
    items,
    text: items.map(({ text = "" }) => text).join(""),
    images: items.flatMap(({ data }) => (data === undefined ? [] : [data])),
    isError: result.isError === true,
    facts: ((result._meta as Message | undefined)?.["dev.writ/repl"] ?? {}) as Message,
  };
}
