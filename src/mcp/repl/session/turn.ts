import type { WorkerCall } from "../../worker/worker-call.ts";
import type { CallBudget } from "./call-budget.ts";
import type { SeatState } from "./worker-seat.ts";

/** What serving one call goes on. */
export interface Turn {
  readonly call: WorkerCall;
  readonly budget: CallBudget;
  /** Aborted when a call that waits will end the worker. */
  readonly hurry: AbortSignal;
  /** What the call interrupted before its turn. */
  readonly stopped: Stopped | undefined;
  /** How often input that had not begun to run was withdrawn before this call came. */
  readonly withdrawals: number;
}

/** What an interrupt found. */
export interface Stopped {
  readonly state: SeatState;
  readonly since: number | undefined;
}
