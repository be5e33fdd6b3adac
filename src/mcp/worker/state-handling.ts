/**
 * How much a call to a worker needs its sandbox state.
 *
 * A call that runs something, or starts what will, needs a good state first. One
 * that only looks, or interrupts, must work without: else nobody could stop what
 * runs. None of them is ever served by a worker that was started for it under
 * another state.
 */

/** What a call asks for. */
export type WorkerInput =
  /** Only asks what there is to read. */
  | "empty"
  /** Runs something. */
  | "code"
  | "interrupt"
  | "interruptAndCode"
  | "restart"
  | "restartAndCode"
  /** Moves in output that is at hand. */
  | "pagerCommand";

export interface WorkerSituation {
  readonly input: WorkerInput;
  /** Whether a process lives. */
  readonly live: boolean;
  /** Whether a request runs, or has printed what nobody has read yet. */
  readonly pending: boolean;
  readonly pager: boolean;
}

export type StateHandling =
  /** Strict: without a good state nothing happens; with one, a worker runs under it. */
  | "apply"
  /** Strict: without a good state nothing happens; with one, the next worker starts under it. */
  | "stage"
  /** Lenient: a state that is no good is ignored, and then nothing is started in this call. */
  | "glance"
  /** Not looked at. */
  | "ignore";

/** How the state of a call is handled, by what the call finds. */
export function stateHandling({ input, live, pending, pager }: WorkerSituation): StateHandling {
  switch (input) {
    case "restart":
    case "restartAndCode":
      return "stage";
    case "interrupt":
      return "glance";
    case "pagerCommand":
      return pending ? "ignore" : "glance";
    case "empty":
      return live || pending || pager ? "glance" : "apply";
    case "code":
    case "interruptAndCode":
      return "apply";
  }
}
