import type { RunOutcome } from "../sandbox/index.ts";

/** As a receipt has it, without what only the machine itself can know. */
type Told =
  | Extract<RunOutcome, { kind: "ended" | "limit" }>
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "notStarted"; readonly reason: string };

/** What its status alone does not say of a command that did not come to its own end, here and elsewhere alike. */
export function endOfRun(outcome: Told, [program]: readonly string[]): string {
  switch (outcome.kind) {
    case "killed":
      return `the command was ended by ${outcome.signal}`;
    case "ended":
      return `ended the command: ${outcome.reason}`;
    case "limit":
      return `ended the command: it went beyond the limit "${outcome.limit}" of ${outcome.value}`;
    case "notStarted":
      return `Cannot start ${JSON.stringify(program)}: ${outcome.reason}`;
  }
}
