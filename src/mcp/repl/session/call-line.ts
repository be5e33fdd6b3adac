/** The calls of one session, as they wait for each other. */
import type { CallBudget } from "./call-budget.ts";
import { LONGEST_TIMER_MS } from "./longest-timer.ts";

/** Begins the work of a call once its turn has come; nothing where nobody waits for it any more. */
export type Begin<T> = (work: (hurry: AbortSignal) => Promise<T>) => Promise<T | undefined>;

export class CallLine {
  /** How many wait that will end what the others wait for. */
  #urgent = 0;
  #hurry = new AbortController();

  /** Whether a call waits that will end what the others wait for. */
  get isUrgent(): boolean {
    return this.#urgent > 0;
  }

  /**
   * Has a call served in its turn. Nothing comes back where its time was over before that, or it was
   * cancelled: its work is then never begun. An urgent one hurries those before it.
   */
  async take<T>(
    budget: CallBudget,
    isUrgent: boolean,
    serve: (begin: Begin<T>) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    let isLate = false;
    const giveUp = () => {
      isLate = true;
      late.resolve(undefined);
    };
    const patience = setTimeout(giveUp, Math.min(budget.start(), LONGEST_TIMER_MS));
    const rest = isUrgent ? this.#hurryUp() : () => {};
    const served = serve(async (work) => {
      clearTimeout(patience);
      rest();
      return isLate || budget.signal.aborted ? undefined : work(this.#next());
    }).finally(rest);
    return Promise.race([served, late.promise]).finally(() => clearTimeout(patience));
  }

  /** Until what it answers with is called. */
  #hurryUp(): () => void {
    this.#urgent += 1;
    this.#hurry.abort();
    let isOver = false;
    return () => {
      if (!isOver) this.#urgent -= 1;
      isOver = true;
    };
  }

  #next(): AbortSignal {
    this.#hurry = new AbortController();
    if (this.#urgent > 0) this.#hurry.abort();
    return this.#hurry.signal;
  }
}
