/** A client that asks more than can wait, and counts the answers of each question. */
import type { Transport } from "../../../../src/rpc/index.ts";

type Message = Readonly<Record<string, unknown>>;

export class Flood {
  readonly #transport: Transport;
  readonly #answers = new Map<unknown, Message[]>();
  readonly #all = Promise.withResolvers<void>();
  #expected = Number.POSITIVE_INFINITY;
  /** What the server asks; one at a time is enough here. */
  readonly question = Promise.withResolvers<Message>();

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.open({
      message: (incoming) => incoming.kind === "text" && this.#take(JSON.parse(incoming.text)),
      closed: ({ reason }) => this.#all.reject(new Error(`closed: ${reason}`)),
    });
  }

  send(message: Message): Promise<void> {
    return this.#transport.send(JSON.stringify(message));
  }

  /** Asks so often without looking up; settles when all of it is on its way. */
  async ask(count: number): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let id = 0; id < count; id += 1) {
      sent.push(this.send({ id, method: "echo", params: { text: `text ${id}` } }));
    }
    await Promise.all(sent);
  }

  /** Settles when as many different questions have an answer. */
  async answered(count: number): Promise<Outcomes> {
    this.#expected = count;
    this.#settle();
    await this.#all.promise;
    // Long enough for a second answer that should not be.
    for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
    return this.#outcomes();
  }

  #take(message: Message): void {
    if ("method" in message) {
      this.question.resolve(message);
      return;
    }
    const { id } = message;
    const others = this.#answers.get(id);
    if (others) others.push(message);
    else this.#answers.set(id, [message]);
    this.#settle();
  }

  #settle(): void {
    if (this.#answers.size >= this.#expected) this.#all.resolve();
  }

  #outcomes(): Outcomes {
    const all = [...this.#answers.values()];
    const firsts = all.flatMap(([first]) => (first ? [first] : []));
    const errors = firsts.filter((one) => "error" in one);
    return {
      twice: all.filter(({ length }) => length > 1).length,
      results: firsts.length - errors.length,
      refused: errors.length,
      errors: [...new Set(errors.map(({ error }) => JSON.stringify(error)))],
    };
  }
}

export interface Outcomes {
  readonly twice: number;
  readonly results: number;
  readonly refused: number;
  /** Each error that came, once. */
  readonly errors: readonly string[];
}
