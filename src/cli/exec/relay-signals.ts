/**
 * Signals to this process, as what they ask of a command elsewhere.
 *
 * The way there may be cut or frozen. Nobody can tell at first, and whoever asks
 * for an end gets one: of the waiting, if not of the command.
 */
import type { RunningProcess } from "../../exec/index.ts";

export interface SignalRelay {
  /** Settles with a signal that was not answered there; never where each is. */
  readonly unheard: Promise<NodeJS.Signals>;
  stop(): void;
}

export interface RelayTimes {
  /** How long one may wait; longer than a server holds a call up for a command that does not read. */
  readonly answerMs: number;
  /** How long the one before may wait when another one comes. */
  readonly againMs: number;
}

const TIMES: RelayTimes = { answerMs: 6_000, againMs: 500 };
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Takes the signals over until it is stopped. A command that is told may go on; one that is not is given up. */
export function relaySignals(
  running: Pick<RunningProcess, "interrupt" | "terminate">,
  { answerMs, againMs } = TIMES,
): SignalRelay {
  const unheard = Promise.withResolvers<NodeJS.Signals>();
  const waiting = new Map<NodeJS.Timeout, number>();
  const relay = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if ([...waiting.values()].some((since) => now - since >= againMs)) unheard.resolve(signal);
    const timer = setTimeout(() => unheard.resolve(signal), answerMs);
    waiting.set(timer, now);
    const told = signal === "SIGINT" ? running.interrupt("group") : running.terminate();
    const answered = () => {
      clearTimeout(timer);
      waiting.delete(timer);
    };
    told.then(answered, answered);
  };
  for (const signal of SIGNALS) process.on(signal, relay);
  return {
    unheard: unheard.promise,
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, relay);
      for (const timer of waiting.keys()) clearTimeout(timer);
    },
  };
}
