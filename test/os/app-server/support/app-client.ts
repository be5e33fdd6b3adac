/** One connection to an app-server: calls, what was heard, and answers to what it asks. */

/** Whatever a message held; tests look into it. */
type Parsed = ReturnType<typeof JSON.parse>;

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Parsed;
  readonly result?: Parsed;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The bytes of a connection. */
export interface AppLink {
  send(text: string): void;
  close(): void;
}

export class AppClient {
  /** Notifications, in order. */
  readonly notes: Message[] = [];
  /** What was answered to what, in order. */
  readonly answered: { readonly method: string; readonly message: Message }[] = [];
  /** What the server asked. */
  readonly asked: Message[] = [];
  /** Answers a question of the server; nothing leaves it open. */
  onAsked: (message: Message) => Pick<Message, "result" | "error"> | undefined = () => undefined;
  /** Settles when the connection is over. */
  readonly over: Promise<void>;
  readonly #link: AppLink;
  readonly #waiting = new Map<number | string, (message: Message) => void>();
  readonly #watchers = new Set<() => void>();
  readonly #end: () => void;
  #ids = 0;

  constructor(link: AppLink) {
    this.#link = link;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = resolve;
  }

  /** For whoever reads the connection. */
  hear(text: string): void {
    const message: Message = JSON.parse(text);
    const isAnswer = message.method === undefined;
    if (isAnswer && message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    } else if (message.id === undefined) this.notes.push(message);
    else {
      this.asked.push(message);
      const answer = this.onAsked(message);
      if (answer !== undefined) this.send({ id: message.id, ...answer });
    }
    for (const watch of this.#watchers) watch();
  }

  ended(): void {
    for (const [id, settle] of this.#waiting) settle({ id, error: { code: 0, message: "over" } });
    this.#waiting.clear();
    this.#end();
  }

  send(message: object): void {
    this.#link.send(JSON.stringify(message));
  }

  raw(text: string): void {
    this.#link.send(text);
  }

  call(method: string, params?: object): Promise<Message> {
    this.#ids += 1;
    const id = this.#ids;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.set(id, (message) => {
      this.answered.push({ method, message });
      resolve(message);
    });
    this.send({ id, method, ...(params && { params }) });
    return promise;
  }

  /** The answer to a request that a test writes itself, under an id of its own. */
  answerTo(id: string): Promise<Message> {
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.set(id, resolve);
    return promise;
  }

  /** The result; throws what the server refused with. */
  async ok(method: string, params?: object): Promise<NonNullable<Message["result"]>> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  /** The refusal; throws where there was none. */
  async refused(method: string, params?: object): Promise<NonNullable<Message["error"]>> {
    const { error } = await this.call(method, params);
    if (error === undefined) throw new Error(`${method} was not refused`);
    return error;
  }

  async initialize(capabilities: object | null = { experimentalApi: true }, name = "test") {
    const result = await this.ok("initialize", {
      clientInfo: { name, version: "1" },
      capabilities,
    });
    this.send({ method: "initialized" });
    return result;
  }

  /** The first notification of a method from `from` on, as soon as it is there. */
  async note(
    method: string,
    matches: (params: Message["params"]) => boolean = () => true,
    from = 0,
  ): Promise<Message> {
    return this.#until(() =>
      this.notes.slice(from).find((one) => one.method === method && matches(one.params)),
    );
  }

  /** The nth question of the server, as soon as it is there. */
  async question(index = 0): Promise<Message> {
    return this.#until(() => this.asked[index]);
  }

  /** Says something and waits for the turn to end. */
  async turn(threadId: string, text: string, members: object = {}): Promise<Turned> {
    const from = this.notes.length;
    const input = [{ type: "text", text, text_elements: [] }];
    const { turn } = await this.ok("turn/start", { threadId, input, ...members });
    const done = await this.note("turn/completed", (params) => params.turn.id === turn.id, from);
    const notes = this.notes.slice(from);
    const items = notes
      .filter((one) => one.method === "item/completed" && one.params.turnId === turn.id)
      .map((one) => one.params.item);
    return { turn: done.params.turn, notes, items };
  }

  close(): void {
    this.#link.close();
  }

  #until<T>(find: () => T | undefined): Promise<T> {
    const found = find();
    if (found !== undefined) return Promise.resolve(found);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const watch = () => {
      const now = find();
      if (now === undefined) return;
      this.#watchers.delete(watch);
      resolve(now);
    };
    this.#watchers.add(watch);
    void this.over.then(() => reject(new Error("the connection is over")));
    return promise;
  }
}

export interface Turned {
  readonly turn: Message["result"];
  /** From the request to the end of the turn. */
  readonly notes: readonly Message[];
  /** Those that were completed. */
  readonly items: readonly NonNullable<Message["result"]>[];
}
