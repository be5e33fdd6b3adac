/**
 * Work that is done once at a time, and once more when it was asked for meanwhile.
 *
 * What is under way may have begun too early for whoever asks now.
 */
export class CatchUp {
  readonly #work: () => Promise<void>;
  #isBehind = false;
  #underWay: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Settles when the work was done that began after this call. */
  request(): Promise<void> {
    this.#isBehind = true;
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #run(): Promise<void> {
    while (this.#isBehind) {
      this.#isBehind = false;
      await this.#work();
    }
  }
}
