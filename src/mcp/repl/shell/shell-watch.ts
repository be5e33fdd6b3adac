/**
 * Finds out what a shell that is busy waits for.
 *
 * A shell does not announce that `read`, or a program it runs, waits for input; its keeper asks the
 * kernel. What is seen twice with no output between is so, and nothing is on its way. A shell that
 * waits for a command without having said so has lost its prompt, which is set once more.
 */
export type Found =
  /** Something waits for input. */
  | "input"
  /** It waits for a command and did not say so. */
  | "broken"
  /** It does not say so either with its prompt set again. */
  | "silent";

const FIRST_LOOK_MS = 4;
const LAST_LOOK_MS = 200;
/** A shell that was woken may look asleep until it is let run; one that stays so does not answer. */
const SILENT_MS = 1000;

export class ShellWatch {
  readonly #look: (number: number) => void;
  readonly #found: (found: Found) => void;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;
  #heard = false;
  #before = "";
  #delay = FIRST_LOOK_MS;
  #repairedAt: number | undefined;

  /** `look` asks the keeper, whose answer comes to `saw` with the same number. */
  constructor(look: (number: number) => void, found: (found: Found) => void) {
    this.#look = look;
    this.#found = found;
  }

  /** It was given something to do. */
  start(): void {
    this.#repairedAt = undefined;
    this.#before = "";
    this.#delay = FIRST_LOOK_MS;
    this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
    // An answer that is on its way is to a question of before.
    this.#number += 1;
  }

  /** It printed something. */
  heard(): void {
    this.#heard = true;
  }

  saw(number: number, what: string): void {
    if (number !== this.#number) return;
    const isSo = what !== "" && what === this.#before && !this.#heard;
    this.#delay = what === "" ? Math.min(this.#delay * 2, LAST_LOOK_MS) : FIRST_LOOK_MS;
    this.#before = what;
    if (!isSo) this.#wait();
    else if (what === "input") this.#settle("input");
    else this.#repair();
  }

  #wait(): void {
    this.stop();
    this.#heard = false;
    this.#timer = setTimeout(() => this.#look(this.#number), this.#delay);
  }

  #repair(): void {
    const now = performance.now();
    if (this.#repairedAt !== undefined && now - this.#repairedAt > SILENT_MS) {
      this.#settle("silent");
      return;
    }
    const isFirst = this.#repairedAt === undefined;
    this.#repairedAt ??= now;
    if (isFirst) this.#found("broken");
    this.#wait();
  }

  #settle(found: Found): void {
    this.stop();
    this.#found(found);
  }
}
