/**
 * What a thread is at a moment, and what it would be after a change.
 *
 * A change is a new state. It is kept first, and becomes the thread's own when it
 * was: where it cannot be kept, the thread is as it was.
 */
import { isDeepStrictEqual } from "node:util";
import type { TurnFrame } from "../../agent/index.ts";
import type { ChosenPolicy } from "../policy/chosen-policy.ts";
import type { ThreadRecord, ThreadSettings } from "../store/thread-record.ts";
import { areHeldAlike, frameOf } from "./frame-of.ts";

export interface ThreadState {
  readonly record: ThreadRecord;
  readonly chosen: ChosenPolicy;
  /** Counts what it is held to: what was begun under one is not gone on with under another. */
  readonly era: number;
  /** Whether the store has it: something was said in it. */
  readonly isKept: boolean;
}

/** What the next turn is to begin with. */
export interface SettingsChange {
  readonly settings: ThreadSettings;
  readonly chosen: ChosenPolicy;
}

const PREVIEW = 200;

export function frameOfState({ record, chosen, era }: ThreadState): TurnFrame {
  return frameOf(record.settings, chosen, era);
}

/** Under other settings; where they are the same, with the very same settings. */
export function changedState(
  state: ThreadState,
  { settings, chosen }: SettingsChange,
): ThreadState {
  const { policy, place } = state.chosen;
  const isSame = isDeepStrictEqual(settings, state.record.settings);
  const record = isSame ? state.record : { ...state.record, settings };
  const next = { ...state, record, chosen };
  if (isSame && chosen.policy === policy && chosen.place === place) return next;
  const isAlike = areHeldAlike(frameOfState(state), frameOfState(next));
  return isAlike ? next : { ...next, era: state.era + 1 };
}

/** With something said in it: what is said first is what it is known by. */
export function saidState(state: ThreadState, said: string): ThreadState {
  const { isKept, record } = state;
  if (isKept && record.preview !== "") return state;
  const preview = said.slice(0, PREVIEW).toWellFormed();
  return { ...state, isKept: true, record: { ...record, preview } };
}
