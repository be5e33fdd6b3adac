/** A client that sends what it is given and keeps count of the answers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Malformed } from "./malformed-messages.ts";

interface Heard {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: ReturnType<typeof JSON.parse>;
  readonly result?: ReturnType<typeof JSON.parse>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** How often it looks, without any answer in between, before it gives up. */
const LOOKS = 3_000;
/** Ids of messages as they were before anything was changed. */
const OWN = /^m\d+-[0-9a-f]{8}$/;

export class FuzzClient {
  readonly codes = new Map<number | "result", number>();
  /** Ids that were answered more than once. */
  readonly twice: string[] = [];
  readonly #send: (text: string) => Promise<void> | void;
  readonly #open = new Map<string, string>();
  readonly #answered = new Set<string>();
  readonly #calls = new Map<string, (heard: Heard) => void>();
  readonly #notes: Heard[] = [];
  #count = 0;
  #calling = 0;

  constructor(send: (text: string) => Promise<void> | void) {
    this.#send = send;
  }

  hear(text: string): void {
    const heard: Heard = JSON.parse(text);
    if (heard.method !== undefined) {
      if (heard.method === "turn/completed") this.#notes.push(heard);
      return;
    }
    const id = String(heard.id);
    this.#count += 1;
    const code = heard.error?.code ?? "result";
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    this.#open.delete(id);
    if (this.#answered.has(id) && OWN.test(id)) this.twice.push(id);
    this.#answered.add(id);
    this.#calls.get(id)?.(heard);
  }

  async send({ text, id }: Malformed): Promise<void> {
    if (id !== undefined) this.#open.set(id, text);
    await this.#send(text);
  }

  /** Waits for every answer that is due; the texts of requests that nobody answered. */
  async unanswered(): Promise<string[]> {
    for (let looks = 0, seen = this.#count; this.#open.size > 0 && looks < LOOKS; looks += 1) {
      await sleep(10);
      if (this.#count !== seen) [looks, seen] = [0, this.#count];
    }
    return [...this.#open.values()].map((text) => text.slice(0, 300));
  }

  call(method: string, params: object): Promise<Heard> {
    return this.callWith(method, params, "");
  }

  /** With one more member of the params, as it is written. */
  async callWith(method: string, params: object, member: string): Promise<Heard> {
    this.#calling += 1;
    const id = `call-${this.#calling}`;
    const { promise, resolve } = Promise.withResolvers<Heard>();
    this.#calls.set(id, resolve);
    const text = JSON.stringify({ id, method, params });
    await this.#send(member === "" ? text : `${text.slice(0, -2)},${member}}}`);
    return promise;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "fuzz", version: "1" };
    await this.call("initialize", { clientInfo, capabilities: { experimentalApi: true } });
  }

  /** Says something in a thread of its own; how the turn ended. */
  async turn(cwd: string, text: string): Promise<string> {
    const { result } = await this.call("thread/start", { cwd, sandbox: "read-only" });
    const threadId = result.thread.id;
    const input = [{ type: "text", text, text_elements: [] }];
    await this.call("turn/start", { threadId, input });
    for (;;) {
      const over = this.#notes.find(({ params }) => params.threadId === threadId);
      if (over !== undefined) return over.params.turn.status;
      await sleep(5);
    }
  }
}
