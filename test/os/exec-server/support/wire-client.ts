/** A client of the exec-server that writes and reads the wire itself, so that nothing of ours checks ours. */
import { setTimeout as sleep } from "node:timers/promises";

export type Wired = Readonly<Record<string, unknown>>;

/** An answer as it came: a result, or an error as a value. */
export interface WireReply {
  readonly id: unknown;
  readonly result?: Wired;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Wired };
}

export interface WireNote {
  readonly method: string;
  readonly params: NoteParams;
}

/** What is said of a process; other notifications have other members. */
export interface NoteParams extends Wired {
  readonly processId: string;
  readonly seq: number;
  readonly stream?: string;
  readonly chunk?: string;
  readonly exitCode?: number;
  readonly sandboxDenied?: boolean;
}

/** What carries texts: a socket, or the streams of a process. */
export interface WireLink {
  send(text: string | Uint8Array): void;
  /** Called once, before anything can arrive. */
  listen(message: (text: string) => void): void;
  /** Ends it without a farewell, as a lost network does. */
  cut(): void;
  readonly closed: Promise<void>;
}

const PATIENCE_MS = 60_000;

export class WireClient {
  readonly link: WireLink;
  /** Everything that came without being asked for, in order. */
  readonly notes: WireNote[] = [];
  readonly #replies: WireReply[] = [];
  readonly #wakes = new Set<() => void>();
  #lastId = 0;

  constructor(link: WireLink) {
    this.link = link;
    link.listen((text) => this.#take(JSON.parse(text)));
    void link.closed.then(() => this.#wake());
  }

  /** Sends the text as it is. */
  raw(text: string | Uint8Array): void {
    this.link.send(text);
  }

  notify(method: string, params?: unknown): void {
    this.raw(JSON.stringify({ method, params }));
  }

  /** Asks, and gives the answer as it came. */
  tryCall(method: string, params?: unknown): Promise<WireReply> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.raw(JSON.stringify({ id, method, params }));
    return this.reply(id);
  }

  /** Asks for a result; an error is thrown with its code. */
  async call<Result = Wired>(method: string, params?: unknown): Promise<Result> {
    const { result, error } = await this.tryCall(method, params);
    if (error === undefined) return result as Result;
    throw new Error(`${method} was refused: ${error.code} ${error.message}`);
  }

  /** Takes the first answer with that id; it is given once. */
  reply(id: unknown): Promise<WireReply> {
    return this.#wait(`the reply to ${id}`, () => {
      const at = this.#replies.findIndex((one) => one.id === id);
      return at === -1 ? undefined : this.#replies.splice(at, 1)[0];
    });
  }

  /** The first notification that fits, whether it came already or not. */
  waitNote(method: string, fits: (params: NoteParams) => boolean = () => true) {
    return this.#wait(method, () =>
      this.notes.find((one) => one.method === method && fits(one.params)),
    );
  }

  /** Says hello, as a client does that is new or comes back. */
  async open(resumeSessionId: string | null = null): Promise<string> {
    const hello = { clientName: "test", resumeSessionId };
    const { sessionId } = await this.call<{ sessionId: string }>("initialize", hello);
    this.notify("initialized");
    return sessionId;
  }

  async #wait<T>(what: string, look: () => T | undefined): Promise<T> {
    const over = { value: false };
    void this.link.closed.then(() => {
      over.value = true;
    });
    const late = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (over.value) throw new Error(`the connection ended before ${what} came`);
      if (late.aborted) throw new Error(`${what} did not come`);
      await this.#change(late);
    }
  }

  #change(late: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#wakes.delete(wake);
      late.removeEventListener("abort", wake);
      resolve();
    };
    this.#wakes.add(wake);
    late.addEventListener("abort", wake);
    return promise;
  }

  #take(message: Wired): void {
    if ("method" in message) this.notes.push(message as unknown as WireNote);
    else this.#replies.push(message as unknown as WireReply);
    this.#wake();
  }

  #wake(): void {
    for (const one of [...this.#wakes]) one();
  }
}

/** Asks until the answer is yes; for what the kernel does in its own time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const late = AbortSignal.timeout(patienceMs);
  while (!(await holds())) {
    if (late.aborted) throw new Error(`it did not come to this: ${what}`);
    await sleep(10);
  }
}
