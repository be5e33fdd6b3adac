/** What the thread remembers, and what its keeper was told of it. */
import type { RememberedSession, SessionOptions } from "../session-options.ts";
import { isSameReference, type SessionReference } from "../session-reference.ts";

type TellerOptions = Pick<SessionOptions, "remembered" | "generation" | "onReference">;

export class ReferenceTeller {
  readonly #onReference: SessionOptions["onReference"];
  #current: RememberedSession | null | undefined;
  #told: SessionReference | null | undefined;
  #generation: number;
  #isOver = false;

  constructor({ remembered, generation = 0, onReference }: TellerOptions) {
    this.#onReference = onReference;
    this.#current = remembered;
    this.#told = this.reference;
    this.#generation = remembered?.reference.generation ?? generation;
  }

  /** Null where there is known to be none, undefined where nobody ever said. */
  get reference(): SessionReference | null | undefined {
    return this.#current === null ? null : this.#current?.reference;
  }

  get generation(): number {
    return this.#generation;
  }

  /** What may be looked up; nothing where it is known to be over. */
  get remembered(): RememberedSession | undefined {
    return this.#isOver ? undefined : (this.#current ?? undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  isTold(reference: SessionReference): boolean {
    return isSameReference(this.#told, reference);
  }

  adopt(remembered: RememberedSession): void {
    this.#current = remembered;
    this.#generation = remembered.reference.generation;
    this.#isOver = false;
  }

  /** It is over. The reference stays until there is another, so that a restart learns of the loss too. */
  markOver(): void {
    this.#isOver = true;
  }

  /** Tells the keeper, unless it was told. What the keeper throws is thrown, and the next call tells again. */
  async tell(): Promise<void> {
    const current = this.#current;
    if (current === undefined || isSameReference(this.#told, this.reference)) return;
    await this.#onReference(current);
    this.#told = current === null ? null : current.reference;
  }

  /** From now on there is known to be none. */
  forget(): void {
    this.#current = null;
    this.#isOver = false;
  }
}
