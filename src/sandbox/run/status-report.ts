/**
 * What bubblewrap says on its status descriptor: one JSON document an event.
 *
 * Its words are the only source: text on stderr may be the command's.
 */
export class StatusReport {
  readonly #more: () => string;
  readonly #pid = Promise.withResolvers<number | undefined>();
  readonly #exitCode = Promise.withResolvers<number | undefined>();
  #text = "";
  #isOver = false;

  /** `more` gives what was reported since it was asked last. */
  constructor(more: () => string) {
    this.#more = more;
  }

  /** The first process of the sandbox, as the host numbers it; nothing if it never came to life. */
  get pid(): Promise<number | undefined> {
    return this.#pid.promise;
  }

  /** How the command ended; nothing if it did not run. */
  get exitCode(): Promise<number | undefined> {
    return this.#exitCode.promise;
  }

  look(): void {
    if (this.#isOver) return;
    this.#text += this.#more();
    const found = numberIn(this.#text, /"child-pid":\s*(\d+)/);
    if (found !== undefined) this.#pid.resolve(found);
  }

  /** Nothing more will be reported. */
  end(): void {
    this.look();
    this.#isOver = true;
    this.#pid.resolve(undefined);
    this.#exitCode.resolve(numberIn(this.#text, /"exit-code":\s*(\d+)/));
  }
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
